/* SPDX-License-Identifier: ISC */
/* Arguments and files of options: CPUs, OS files. */
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "os/osfile.h"
#include "fuzz.h"
#include "text/cpus.h"

static void
read_osfile(const char *text, size_t len)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct osfile os = {0};
	char path[40];

	if (write(fd, text, len) != (ssize_t)len)
		abort();
	snprintf(path, sizeof path, "/dev/fd/%d", fd);
	osfile_read(&os, path, NULL);
	osfile_done(&os);
	close(fd);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xmemdup0((const char *)data, size);
	struct cpus c = {0};
	struct buf err = BUF_INIT;

	fuzz_quiet();
	cpus_option(&c, text, &err);
	cpus_has(&c, 70);
	cpus_mask_option(&c, text, &err);
	buf_done(&err);
	read_osfile(text, size);
	free(text);
	return 0;
}
