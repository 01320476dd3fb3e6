/* SPDX-License-Identifier: ISC */
/*
 * ELF files with DWARF: loaded, and addresses in their code looked up. Reaches
 * elffuncs_read.
 */
#include "elf/elfsym.h"

#include <stdint.h>
#include <sys/mman.h>

#include "base/buf.h"
#include "fuzz.h"

enum { LOOKUPS = 32 };

static void
look_up(struct elfsym *s, uint64_t addr, size_t *sum)
{
	const struct elfsym_frame *f;
	size_t n = elfsym_frames(s, addr, &f);

	for (size_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < f[i].name_len; k++)
			*sum += (unsigned char)f[i].name[k];
	for (size_t i = 0; i < n; i++)
		for (uint32_t k = 0; k < f[i].file_len; k++)
			*sum += (unsigned char)f[i].file[k];
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf err = BUF_INIT;
	const int fd = memfd_create("elf", MFD_CLOEXEC);
	struct elfsym *s;
	char path[40];
	uint64_t pc[ELFSYM_TAILS_MAX];
	const unsigned char *bytes;
	uint64_t addr, len;
	size_t sum = 0;

	if (fd == -1 || write(fd, data, size) != (ssize_t)size)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	s = elfsym_load(
	    path, ELFSYM_INLINE | ELFSYM_LINES | ELFSYM_TAILS, &err);
	if ((s == NULL) != (err.len > 0))
		abort();
	if (s != NULL && elfsym_section(s, ".text", &addr, &len, &bytes)) {
		const uint64_t step = len / LOOKUPS + 1;

		for (uint64_t i = 0; i < len && i < LOOKUPS * step; i += step) {

			look_up(s, addr + i, &sum);
			elfsym_tails(s, addr + i, addr + len - i, pc);
		}
	}
	if (sum == SIZE_MAX) /* never; the texts must have been read */
		abort();
	elfsym_free(s);
	close(fd);
	buf_done(&err);
	return 0;
}
