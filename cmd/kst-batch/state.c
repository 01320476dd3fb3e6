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
#include <unistd.h>

#include "base/intern.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "batch.h"

struct state {
	int fd; /* to append to, -1: read only */
	char *path;
	struct buf text; /* of the file; `what` points into it */
	struct intern *names;
	struct made *v; /* by the number of the name */
	size_t cap;
};

/* A line, which ends with a NUL. */
static void
read_line(struct state *s, char *line)
{
	char *rel = text_field(&line, '\t'), *key = text_field(&line, '\t'),
	     *svg_key = text_field(&line, '\t');
	struct made m;
	uint32_t id;

	if (line == NULL || num_hex(key, strlen(key), &m.key) != 0 ||
	    num_hex(svg_key, strlen(svg_key), &m.svg_key) != 0 ||
	    record_read(&m.rec, line) != 0)
		return;
	text_decode(rel);
	id = intern_id(s->names, rel, strlen(rel));
	s->v = xgrow(s->v, id + 1u, &s->cap, sizeof *s->v);
	s->v[id] = m;
}

/* Returns how many lines there were. */
static size_t
parse(struct state *s)
{
	char *p = buf_str(&s->text), *end = p + s->text.len, *nl;
	size_t lines = 0;

	for (; (nl = memchr(p, '\n', (size_t)(end - p))); p = nl + 1, lines++) {
		*nl = 0;
		if (strlen(p) == (size_t)(nl - p))
			read_line(s, p);
	}
	return lines;
}

static void
write_made(struct buf *b, const char *rel, size_t len, const struct made *m)
{
	text_encode(b, rel, len);
	buf_printf(b, "\t%" PRIx64 "\t%" PRIx64 "\t", m->key, m->svg_key);
	record_write(b, &m->rec);
	buf_addc(b, '\n');
}

static void
compact(struct state *s)
{
	struct buf b = BUF_INIT, temp = BUF_INIT;

	for (uint32_t i = 0; i < intern_count(s->names); i++) {
		size_t len;
		const char *rel = intern_str(s->names, i, &len);

		write_made(&b, rel, len, &s->v[i]);
	}
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
	s->path = buf_str(&path);
	s->fd = -1;
	s->names = intern_new();
	(void)file_read(s->path, &s->text); /* not there: nothing was made */
	torn = s->text.len && s->text.p[s->text.len - 1] != '\n';
	lines = parse(s);
	if (!writable)
		return s;
	if (lines > 2 * (size_t)intern_count(s->names) + 100 || torn)
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

bool
state_knows(const struct state *s, const char *rel)
{
	return intern_find(s->names, rel, strlen(rel)) != UINT32_MAX;
}

void
state_load(const struct state *s, struct item *i)
{
	uint32_t id = intern_find(s->names, i->rel, strlen(i->rel));

	if (id == UINT32_MAX)
		return;
	i->known = true;
	i->made = s->v[id];
	i->made.rec.what = xstrdup(i->made.rec.what);
}

int
state_put(struct state *s, const struct item *i)
{
	struct buf b = BUF_INIT;
	ssize_t n;

	write_made(&b, i->rel, strlen(i->rel), &i->made);
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
	intern_free(s->names);
	free(s->v);
	free(s->path);
	free(s);
}
