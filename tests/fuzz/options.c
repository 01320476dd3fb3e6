/* SPDX-License-Identifier: ISC */
/* Arguments and files of options: CPUs, colours, OS files, addresses. */
#include <sys/mman.h>
#include <sys/stat.h>

#include "guest/osfile.h"
#include "rgb.h"
#include "fuzz.h"
#include "text/cpus.h"

/* Of osfile.c's other half, which applies the rules that were read. */
void
unwind_module_rule(struct unwind_module *m, uint64_t start, uint64_t end,
    const struct saved *saved)
{
	(void)m, (void)start, (void)end, (void)saved;
}

static void
read_osfile(const char *text, size_t len)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct osfile os = {0};
	char path[40];

	if (write(fd, text, len) != (ssize_t)len)
		abort();
	snprintf(path, sizeof path, "/dev/fd/%d", fd);
	osfile_read(&os, path);
	osfile_done(&os);
	close(fd);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xmemdup0((const char *)data, size);
	struct cpus c = {0};
	struct rgb colour;

	fuzz_quiet();
	cpus_parse(&c, text);
	cpus_has(&c, 70);
	cpus_parse_decimal(&c, text);
	rgb_parse(text, size, &colour);
	read_osfile(text, size);
	free(text);
	return 0;
}
