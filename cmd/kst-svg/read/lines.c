/* SPDX-License-Identifier: ISC */
/*
 * How input is read a second time. Of each line of a pipe is kept what it does
 * not share with the line before it: of sorted text a tenth.
 */
#include "read/read.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/msg.h"

/* Stands before the bytes of a line that is kept. */
struct kept {
	uint32_t shared, rest; /* with the line before it; its other bytes */
};

/* Whether all operands are regular files. */
static bool
can_repeat(char **operands, int n)
{
	struct stat st;

	for (int i = 0; i < n || i < 1; i++) {
		bool is_stdin = n == 0 || strcmp(operands[i], "-") == 0;

		if ((is_stdin ? fstat(STDIN_FILENO, &st)
			      : stat(operands[i], &st)) != 0 ||
		    !S_ISREG(st.st_mode) ||
		    (is_stdin && lseek(STDIN_FILENO, 0, SEEK_CUR) < 0))
			return false;
	}
	return true;
}

void
lines_init(struct lines *l, char **operands, int n)
{
	*l = (struct lines){.operands = operands, .n = n};
	l->repeats = can_repeat(operands, n);
	l->stdin_at = lseek(STDIN_FILENO, 0, SEEK_CUR);
	in_init(&l->in, operands, n);
}

void
lines_done(struct lines *l)
{
	in_done(&l->in);
	buf_done(&l->kept);
	buf_done(&l->last);
}

static void
keep(struct lines *l, const char *line, size_t len)
{
	struct buf *last = &l->last;
	size_t shared = bytes_shared(line, len, last->p, last->len);
	const struct kept k = {(uint32_t)shared, (uint32_t)(len - shared)};

	buf_add(&l->kept, (const char *)&k, sizeof k);
	buf_add(&l->kept, line + shared, k.rest);
	l->kept_at = l->kept.len;
	last->len = shared;
	buf_add(last, line + shared, k.rest);
}

/* The next of the lines that were kept. */
static void
next_kept(struct lines *l, const char **line, size_t *len)
{
	struct kept k;

	memcpy(&k, l->kept.p + l->kept_at, sizeof k);
	l->last.len = k.shared;
	buf_add(&l->last, l->kept.p + l->kept_at + sizeof k, k.rest);
	l->kept_at += sizeof k + k.rest;
	*line = buf_str(&l->last);
	*len = l->last.len;
}

bool
lines_next(struct lines *l, const char **line, size_t *len)
{
	if (l->kept_at < l->kept.len) {
		next_kept(l, line, len);
	} else {
		if (!in_next(&l->in, line, len))
			return false;
		if (l->last_pass)
			buf_done(&l->kept);
		else if (!l->repeats)
			keep(l, *line, *len);
	}
	l->fresh = ++l->line > l->seen;
	if (l->fresh)
		l->seen = l->line;
	return true;
}

int
lines_rewind(struct lines *l)
{
	l->line = 0;
	l->kept_at = l->last.len = 0;
	if (!l->repeats)
		return 0;
	l->failed = l->failed || in_failed(&l->in);
	in_done(&l->in);
	if (l->stdin_at >= 0 &&
	    lseek(STDIN_FILENO, l->stdin_at, SEEK_SET) < 0) {
		msg_errno("cannot read the input again");
		return -1;
	}
	in_init(&l->in, l->operands, l->n);
	return 0;
}
