/* SPDX-License-Identifier: ISC */
/*
 * Comparing what is before the first NUL byte with what follows it, with gates;
 * the size tells by what, in which format, and whether a side is trace text.
 * Each has a stack of ours first: without any there is nothing to compare.
 */
#include <sys/mman.h>

#include "diff.h"
#include "base/buf.h"
#include "fuzz.h"
#include "renames.h"
#include "sides/open.h"
#include "usual.h"
#include "profile/table_write.h"
#include "profile/table.h"

/* The same file each time: its memory is there. */
static void
fill_file(int fd, bool is_trace, const uint8_t *data, size_t size)
{
	const char *first = is_trace ? "#0  first ()\n\n" : "first 1\n";
	size_t len = strlen(first);

	if (pwrite(fd, first, len, 0) != (ssize_t)len ||
	    pwrite(fd, data, size, (off_t)len) != (ssize_t)size ||
	    ftruncate(fd, (off_t)(len + size)) != 0)
		abort();
}

static void
compare(struct side s[2], struct profile *p, struct gates *g, size_t how)
{
	struct measure m = {.p = p,
	    .method = METHOD_SAMPLES,
	    .samples = true,
	    .self = how & 1,
	    .kind = how & 2 ? KIND_COST : KIND_SHARE,
	    .work = {3, 4},
	    .level = 0.05};
	struct show sh = {.m = &m,
	    .side = s,
	    .gates = g,
	    .sort = how & 4 ? SORT_NAME : SORT_CHANGE,
	    .width = 40};

	profile_end(p);
	if (p->side[0].n_parts == PROFILE_BATCHES &&
	    p->side[1].n_parts == PROFILE_BATCHES)
		m.method = METHOD_CAPTURES;
	gates_judge(g, &m);
	usual_take(&m);
	sh.rows = measure_rows(&m, &sh.n);
	if (how / 16 % 3 == PROFILE_FUNCTION)
		sh.n = measure_renames(&m, sh.rows, sh.n);
	show_put(&sh, (enum format)(FORMAT_TEXT + how / 48 % 4));
	free(sh.rows);
}

static void
read_and_compare(char *paths[2], size_t how)
{
	static bool begun;
	struct gates g = {0};
	struct side s[4] = {{0}, {.number = 1}, {.number = 2}, {.number = 3}};
	struct buf err = BUF_INIT;
	struct profile p;
	struct side_options so = {.by_cpu = how & 8,
	    .shape = how / 192 % 4 == 1 ? SHAPE_TRACE : SHAPE_FOLDED};

	gate_option(&g, "+1%", &err);
	gate_option(&g, "x1.1", &err);
	gate_option(&g, "a.*b=+0.5%", &err);
	profile_init(
	    &p, (enum profile_by)(how / 16 % 3), g.patterns, g.n_patterns);
	for (int i = 0; i < 2; i++)
		side_find(&s[i], paths[i]);
	if (!begun && !(begun = open_begin(s))) /* the names stay the same */
		abort();
	for (int i = 0; i < 2; i++) {
		side_read(&s[i], &p, i, &so);
	}
	if (profile_total(&p, 0)->whole && profile_total(&p, 1)->whole)
		compare(s, &p, &g, how);
	table_scale(p.table, profile_total(&p, 0), profile_total(&p, 1));
	table_write(p.table, false);
	side_done(&s[0]);
	side_done(&s[1]);
	profile_done(&p);
	gates_done(&g);
	buf_done(&err);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
	size_t first = nul ? (size_t)(nul - data) : size;
	static char names[2][40];
	static int fd[2];
	char *paths[2] = {names[0], names[1]};

	if (size > 4096) /* for speed */
		return 0;
	fuzz_no_output();
	fuzz_quiet();
	for (int i = 0; i < 2 && names[i][0] == 0; i++) {
		fd[i] = memfd_create("fuzz", MFD_CLOEXEC);
		snprintf(names[i], sizeof names[i], "/dev/fd/%d", fd[i]);
	}
	fill_file(fd[0], size / 192 % 4 == 1, data, first);
	fill_file(fd[1], size / 192 % 4 == 1, data + first + !!nul,
	    size - first - !!nul);
	read_and_compare(paths, size);
	fuzz_drop_output();
	return 0;
}
