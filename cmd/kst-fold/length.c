/* SPDX-License-Identifier: ISC */
/*
 * Reads the files ahead, only for the times of their captures, and leaves the
 * standard input's place as it was. Faults are reported when they are counted.
 */
#include "fold.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "io/in.h"
#include "trace/trace.h"

enum { PIECES_MAX = 200, LINE = 256 };

struct times {
	uint64_t n;
	uint64_t first, last; /* ns */
};

/* The time of a capture line, which begins at p. */
static void
take_line(struct times *t, const char *p, const char *end)
{
	size_t len = end - p < LINE ? (size_t)(end - p) : LINE;
	const char *nl = memchr(p, '\n', len), *v;
	uint64_t ns;

	if (nl)
		len = (size_t)(nl - p);
	if (!trace_meta_get(p, len, "time", &v, &len) ||
	    num_duration(v, len, 1000000000, &ns) != 0)
		return;
	if (t->n++ == 0)
		t->first = t->last = ns;
	if (ns < t->first)
		t->first = ns;
	if (ns > t->last)
		t->last = ns;
}

/*
 * A file's capture lines; n 0: those of standard input. False if it cannot be
 * read twice.
 */
static bool
take_operand(struct times *t, char **operand, int n)
{
	static const char mark[] = "[kst-capture ";
	bool is_stdin = n == 0 || strcmp(*operand, "-") == 0, ok;
	off_t at = is_stdin ? lseek(STDIN_FILENO, 0, SEEK_CUR) : 0;
	struct stat st;
	struct in in;
	size_t have;

	if (!is_stdin && stat(*operand, &st) != 0)
		return true; /* nothing will be read of it */
	if (at < 0 || (is_stdin && fstat(STDIN_FILENO, &st) != 0) ||
	    !S_ISREG(st.st_mode))
		return false;
	in_init(&in, operand, n);
	in.quiet = true;
	while ((have = in_fill(&in, LINE + 1)) > 0) {
		const char *p = memmem(in.p, have, mark, sizeof mark - 1);
		/* what begins after this is looked at with what follows */
		const char *whole = have > LINE ? in.end - LINE : in.end;

		if (p && p < whole)
			take_line(t, p, in.end);
		in.p = p && p < whole ? p + 1 : whole;
	}
	ok = in.file_no == 0 || !in_failed(&in);
	in_done(&in);
	if (is_stdin)
		lseek(STDIN_FILENO, at, SEEK_SET);
	return ok;
}

uint64_t
length_of_pieces(char **operands, int n)
{
	static const unsigned steps[] = {1, 2, 5};
	struct times t = {0};
	uint64_t most, least;

	for (int i = 0; i < n || i == 0; i++)
		if (!take_operand(&t, operands + i, n > 0))
			return 1000000000;
	most = t.n < PIECES_MAX ? t.n + 1 : PIECES_MAX;
	least = (t.last - t.first) / most + 1;
	for (uint64_t unit = 1000;; unit *= 10)
		for (size_t i = 0; i < 3; i++)
			if (unit * steps[i] >= least)
				return unit * steps[i];
}
