/* SPDX-License-Identifier: ISC */
/*
 * Kernels as they boot, and lists of symbols. Reaches kallsyms_read, flat_read.
 */
#include "kimage/kimage.h"

#include <sys/mman.h>

#include "base/buf.h"
#include "elf/elfsym.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf err = BUF_INIT;
	const int fd = memfd_create("kernel", MFD_CLOEXEC);
	struct elfsym_func func;
	struct elfsym *s;
	char path[40];

	if (fd == -1 || write(fd, data, size) != (ssize_t)size)
		abort();
	kimage_knows(fd);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	s = elfsym_load(path, 0, &err);
	if ((s == NULL) != (err.len > 0))
		abort();
	for (size_t i = 0; s != NULL && elfsym_nth(s, i, &func); i++)
		if (func.start >= func.end || func.name[func.len] != 0)
			abort();
	elfsym_free(s);
	close(fd);
	buf_done(&err);
	return 0;
}
