/* SPDX-License-Identifier: ISC */
#include "live/files.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "elf/elfsym.h"
#include "live/pass.h"
#include "opt/opt.h"

enum { FAR = 1 << 30, FUNC_MAX = 1 << 16 };

uint64_t
files_top(struct elfsym *kernel, uint64_t low)
{
	struct elfsym_func f;
	uint64_t top = 0;

	for (size_t i = 0; elfsym_nth(kernel, i, &f); i++)
		if (f.start - low < FAR && f.start > top)
			top = f.start;
	return top + FUNC_MAX;
}

struct elfsym **
files_load(const struct opt_list *elf, struct program program[PROGRAMS_MAX])
{
	struct elfsym **p = xcalloc(elf->n + 1, sizeof *p);
	const unsigned char *data;
	struct buf err = BUF_INIT;

	for (size_t i = 1; i < elf->n; i++) {
		struct program g;

		p[i] = elfsym_load(elf->use[i].arg, 0, &err);
		if (i <= PROGRAMS_MAX && p[i] && elfsym_bias(p[i]) == 0 &&
		    elfsym_section(p[i], ".text", &g.low, &g.size, &data) &&
		    data && (g.low + g.size) >> PROGRAMS_BITS == 0)
			program[i - 1] = g;
	}
	buf_done(&err);
	return p;
}

void
files_free(struct elfsym **files, size_t n)
{
	for (size_t i = 1; i < n; i++)
		elfsym_free(files[i]);
	free(files);
}

int
files_pass(
    struct elfsym **files, const struct program program[PROGRAMS_MAX], int pipe)
{
	const unsigned char *data;
	uint64_t low, size;
	int status = 0;

	for (size_t i = 0; status == 0 && i < PROGRAMS_MAX; i++)
		if (program[i].size > 0 &&
		    elfsym_section(files[i + 1], ".text", &low, &size, &data))
			status = pass_bytes(pipe, data, size);
	return status;
}
