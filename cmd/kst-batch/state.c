/* SPDX-License-Identifier: ISC */
/*
 * What was made, and from what: a log that is only appended to, one write a
 * line, so that it is valid whenever the command is killed. An incomplete line
 * is ignored; the last line of a name counts. When more than half of the log is
 * out of date, it is rewritten.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "batch.h"

struct state {
	int fd; /* to append to, -1: read only */
	char *path;
	struct buf text; /* of the file; what was made points into it */
	struct made *v;	 /* sorted by rel */
	size_t n;
};

static int
read_made(struct made *m, char *line)
{
	uint64_t *const keys[] = {&m->key, &m->svg_key};

	m->rel = text_field(&line, '\t');
	for (size_t i = 0; i < 2; i++) {
		const char *s = text_field(&line, '\t');

		if (s == NULL || num_hex(s, strlen(s), keys[i]) != 0)
			return -1;
	}
	if (line == NULL || record_read(&m->rec, line) != 0)
		return -1;
	text_decode(m->rel);
	return 0;
}

static void
write_made(struct buf *b, const struct made *m)
{
	text_encode(b, m->rel, strlen(m->rel), false);
	buf_printf(b, "\t%" PRIx64 "\t%" PRIx64 "\t", m->key, m->svg_key);
	record_write(b, &m->rec);
	buf_addc(b, '\n');
}

/* By name, then in the order of the log. */
static int
by_rel(const void *a, const void *b)
{
	const struct made *x = a, *y = b;
	int c = strcmp(x->rel, y->rel);

	return c ? c : (x->rel > y->rel) - (x->rel < y->rel);
}

/* Returns how many lines there were. */
static size_t
parse(struct state *s)
{
	char *p = s->text.p, *end = p + s->text.len;
	size_t cap = 0, lines = 0, kept = 0;

	for (; p && p < end; lines++) {
		char *nl = memchr(p, '\n', (size_t)(end - p));

		if (nl == NULL)
			break;
		*nl = 0;
		s->v = xgrow(s->v, s->n + 1, &cap, sizeof *s->v);
		if (memchr(p, 0, (size_t)(nl - p)) == NULL &&
		    read_made(&s->v[s->n], p) == 0)
			s->n++;
		p = nl + 1;
	}
	if (s->n)
		qsort(s->v, s->n, sizeof *s->v, by_rel);
	for (size_t i = 0; i < s->n; i++)
		if (i + 1 == s->n || strcmp(s->v[i].rel, s->v[i + 1].rel) != 0)
			s->v[kept++] = s->v[i];
	s->n = kept;
	return lines;
}

static void
compact(struct state *s)
{
	struct buf b = BUF_INIT, temp = BUF_INIT;

	for (size_t i = 0; i < s->n; i++)
		write_made(&b, &s->v[i]);
	buf_printf(&temp, "%s.new", s->path);
	/* if this fails, the old log is as good */
	if (file_write(buf_str(&temp), b.p, b.len) != 0 ||
	    rename(temp.p, s->path) != 0)
		unlink(temp.p);
	buf_done(&b);
	buf_done(&temp);
}

struct state *
state_open(const char *out, bool writable)
{
	struct state *s = xcalloc(1, sizeof *s);
	struct buf path = BUF_INIT;
	size_t lines;
	bool torn;

	buf_printf(&path, "%s/.kst-batch/state", out);
	s->path = xstrdup(buf_str(&path));
	buf_done(&path);
	s->fd = -1;
	(void)file_read(s->path, &s->text); /* not there: nothing was made */
	torn = s->text.len && s->text.p[s->text.len - 1] != '\n';
	lines = parse(s);
	if (!writable)
		return s;
	if (lines > 2 * s->n + 100 || torn)
		compact(s);
	s->fd = open(s->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	if (s->fd < 0) {
		int e = errno;

		state_close(s);
		errno = e;
		return NULL;
	}
	if (torn && write(s->fd, "\n", 1) != 1)
		errno = 0; /* a line that is joined to it is made again */
	return s;
}

static int
has_rel(const void *rel, const void *made)
{
	return strcmp(rel, ((const struct made *)made)->rel);
}

const struct made *
state_find(const struct state *s, const char *rel)
{
	return s->n ? bsearch(rel, s->v, s->n, sizeof *s->v, has_rel) : NULL;
}

void
state_load(struct state *s, struct items *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct made *m = state_find(s, t->v[i].rel);

		if (m == NULL)
			continue;
		t->v[i].made = *m;
		t->v[i].made.rel = t->v[i].rel;
		t->v[i].made.rec.what = xstrdup(m->rec.what);
	}
}

int
state_put(struct state *s, const struct made *m)
{
	struct buf b = BUF_INIT;
	ssize_t n;

	write_made(&b, m);
	n = write(s->fd, b.p, b.len);
	if (n >= 0 && (size_t)n < b.len) {
		errno = ENOSPC;
		n = -1;
	}
	buf_done(&b);
	return n < 0 ? -1 : 0;
}

void
state_close(struct state *s)
{
	if (s->fd >= 0)
		close(s->fd);
	buf_done(&s->text);
	free(s->v);
	free(s->path);
	free(s);
}
