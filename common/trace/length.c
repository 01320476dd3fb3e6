/* SPDX-License-Identifier: ISC */
/*
 * Reads the files ahead, only for the times of their captures, and leaves the
 * standard input's place as it was. Faults are reported when they are counted.
 */
#include "trace/length.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "io/in.h"
#include "trace/trace.h"

enum { PIECES_MAX = 200, OWN_MAX = 1000, OWN_BYTES = 8 << 20, LINE = 256 };

struct times {
	uint64_t n, bytes;
	uint64_t first, last;  /* ns */
	uint64_t own[OWN_MAX]; /* of the first ones */
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
	if (t->n < OWN_MAX)
		t->own[t->n] = ns;
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
	t->bytes += (uint64_t)st.st_size;
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

static int
by_time(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/* Whether each capture has a piece of that length for itself. */
static bool
has_own(const struct times *t, uint64_t length)
{
	if (t->n > OWN_MAX || t->bytes > OWN_BYTES)
		return false;
	for (size_t i = 1; i < t->n; i++)
		if ((t->own[i] - t->first) / length ==
		    (t->own[i - 1] - t->first) / length)
			return false;
	return true;
}

uint64_t
length_of_pieces(char **operands, int n, bool own)
{
	static const unsigned steps[] = {1, 2, 5};
	struct times t = {0};
	uint64_t most, least, found = 0;

	for (int i = 0; i < n || i == 0; i++)
		if (!take_operand(&t, operands + i, n > 0))
			return 1000000000;
	most = t.n < PIECES_MAX ? t.n + 1 : PIECES_MAX;
	least = (t.last - t.first) / most + 1;
	if (t.n <= OWN_MAX)
		qsort(t.own, t.n, sizeof *t.own, by_time);
	for (uint64_t unit = 1000;; unit *= 10)
		for (size_t i = 0; i < 3; i++) {
			const uint64_t length = unit * steps[i];

			if (own && has_own(&t, length))
				found = length;
			if (length >= least)
				return found ? found : length;
		}
}
