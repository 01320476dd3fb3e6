/* SPDX-License-Identifier: ISC */
/*
 * Whole files of both shapes through kst-sym, the addresses being those of an
 * ELF file among the seeds of the entry elfsym; a second run over what came
 * out must change nothing.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../../cmd/kst-sym/sym.h"
#include "fuzz.h"
#include "opt/opt.h"
#include "io/in.h"
#include "trace/shape.h"

/* Runs the file at fd through s; what comes out is left in out.p. */
static void
name_file(struct sym *s, int fd, enum shape shape)
{
	char path[40], *operand = path;
	struct in in;

	snprintf(path, sizeof path, "/dev/fd/%d", fd);
	in_init(&in, &operand, 1);
	while (in_fill(&in, 1)) {
		if (shape == SHAPE_FOLDED)
			sym_folded(s, &in);
		else
			sym_trace(s, &in);
	}
	in_done(&in);
}

static int
file_with(const void *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd == -1 || write(fd, data, size) != (ssize_t)size)
		abort();
	return fd;
}

static void
check_twice(struct sym *s, const uint8_t *data, size_t size, enum shape shape)
{
	int fd = file_with(data, size);
	size_t len;
	char *once;

	fuzz_drop_output();
	name_file(s, fd, shape);
	close(fd);
	len = out.len;
	once = xmalloc(len + 1);
	memcpy(once, out.p, len);
	fuzz_drop_output();
	fd = file_with(once, len);
	name_file(s, fd, shape);
	close(fd);
	if (out.len != len || memcmp(out.p, once, len) != 0)
		abort();
	fuzz_drop_output();
	free(once);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct sym s;
	struct opt_use use = {"elf", "tests/fuzz/elfsym.seeds/gcc-dwarf5"};
	const struct opt_list elf = {&use, 1, 1};

	if (s.n_modules == 0) {
		s.demangle = s.annotate = s.lines = true;
		s.bad.what = "line";
		out_room(16 << 20); /* so that nothing is written */
		if (sym_add_modules(&s, &elf, ELFSYM_INLINE | ELFSYM_LINES))
			abort();
	}
	if (size > 1 << 16)
		return 0;
	check_twice(&s, data, size, size & 1 ? SHAPE_FOLDED : SHAPE_TRACE);
	return 0;
}
