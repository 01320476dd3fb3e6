/* SPDX-License-Identifier: ISC */
/*
 * Reads the files ahead, only for the times of their captures, and leaves the
 * standard input's place as it was. Faults are reported when they are counted.
 */
#include "parts.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "trace/trace.h"

enum { PIECES_MAX = 200, BLOCK = 1 << 18, LINE = 256 };

struct times {
	uint64_t n;
	uint64_t first, last; /* ns */
};

/* The time of a capture line, p[0..len) or less. */
static void
take_line(struct times *t, const char *p, size_t len)
{
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

/* A file from `at` on; false if it cannot be read. */
static bool
take_file(struct times *t, int fd, off_t at)
{
	static const char mark[] = "[kst-capture ";
	static char block[BLOCK + LINE];
	size_t kept = 0;
	ssize_t n;

	while ((n = pread(fd, block + kept, BLOCK, at)) > 0) {
		const char *p = block, *end = block + kept + n;
		/* what begins after this comes again with the next block */
		const char *whole = n == BLOCK ? end - LINE : end;

		while ((p = memmem(p, (size_t)(end - p), mark,
			    sizeof mark - 1)) != NULL &&
		       p < whole) {
			take_line(t, p, (size_t)(end - p));
			p++;
		}
		at += n;
		kept = (size_t)(end - whole);
		memmove(block, whole, kept);
	}
	return n == 0;
}

static bool
take_operand(struct times *t, const char *name)
{
	bool is_stdin = strcmp(name, "-") == 0, ok = false;
	int fd = is_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
	struct stat st;
	off_t at;

	if (fd < 0)
		return true; /* nothing will be read of it */
	at = lseek(fd, 0, SEEK_CUR);
	if (at >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		ok = take_file(t, fd, at);
	if (!is_stdin)
		close(fd);
	return ok;
}

uint64_t
length_of_pieces(char **operands, int n)
{
	static const unsigned steps[] = {1, 2, 5};
	struct times t = {0};
	uint64_t most, least;

	if (n == 0 && !take_operand(&t, "-"))
		return 1000000000;
	for (int i = 0; i < n; i++)
		if (!take_operand(&t, operands[i]))
			return 1000000000;
	most = t.n < PIECES_MAX ? t.n + 1 : PIECES_MAX;
	least = (t.last - t.first) / most + 1;
	for (uint64_t unit = 1000;; unit *= 10)
		for (size_t i = 0; i < 3; i++)
			if (unit * steps[i] >= least)
				return unit * steps[i];
}
