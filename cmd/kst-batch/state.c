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

#include "set/intern.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "batch.h"

struct state {
	int fd; /* to append to, -1: read only */
	char *path;
	struct buf text; /* of the file; `what` points into it */
	struct intern *names;
	struct outcome *v; /* by the number of the name */
	size_t cap;
};

static const char *
line_of(const char *rel, const struct outcome *r)
{
	return text_of("%s\t%" PRIx64 "\t%" PRIx64 "\t%" PRIu64 "\t%" PRIu64
		       "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
		       "\t%" PRIu64 "\t%s\n",
	    text_encode(rel), r->key, r->svg_key, r->status, r->size, r->mtime,
	    r->folded, r->svg, r->captures, r->line,
	    text_encode(r->what ? r->what : ""));
}

/* Undoes text_encode() in place. */
static void
decode(char *s)
{
	char *to = s;
	uint64_t c;

	for (; *s; s++)
		if (*s == '%' && s[1] && num_hex(s + 1, 2, &c) == 0) {
			*to++ = (char)c;
			s += 2;
		} else {
			*to++ = *s;
		}
	*to = 0;
}

/* A name, 9 numbers and the first fault, separated by tabs. */
static void
read_line(struct state *s, char *line)
{
	char *rel = strsep(&line, "\t");
	struct outcome r;
	uint32_t id;
	int n = 0;

	if (line == NULL ||
	    sscanf(line,
		"%" SCNx64 "%" SCNx64 "%" SCNu64 "%" SCNu64 "%" SCNu64
		"%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%n",
		&r.key, &r.svg_key, &r.status, &r.size, &r.mtime, &r.folded,
		&r.svg, &r.captures, &r.line, &n) != 9 ||
	    line[n] != '\t' || r.status > STATUS_BROKEN)
		return;
	r.what = line + n + 1;
	decode(r.what);
	decode(rel);
	id = intern_id(s->names, rel, strlen(rel) + 1);
	*xitem(s->v, id, s->cap) = r;
}

/* Only what counts stays. */
static int
rewrite(const struct state *s)
{
	struct buf b = BUF_INIT;
	const char *temp;
	int status;

	for (uint32_t i = 0; i < intern_count(s->names); i++) {
		size_t len;

		buf_adds(&b, line_of(intern_str(s->names, i, &len), &s->v[i]));
	}
	temp = text_of("%s.new", s->path);
	status = file_write(temp, b.p, b.len) ? -1 : rename(temp, s->path);
	if (status != 0)
		(void)unlink(temp);
	buf_done(&b);
	return status;
}

int
state_open(const char *out, bool writable, struct state **state)
{
	struct state *s = *state = xcalloc(1, sizeof *s);
	char *line, *rest;
	size_t lines = 0;
	bool torn, stale;

	s->path = xstrdup(text_of("%s/.kst-batch/state", out));
	s->fd = -1;
	s->names = intern_new();
	if (file_read(s->path, &s->text) != 0 && errno != ENOENT &&
	    errno != ENOTDIR)
		return -1;
	rest = buf_str(&s->text);
	while ((line = strsep(&rest, "\n")) && rest) {
		read_line(s, line);
		lines++;
	}
	torn = line < s->text.p + s->text.len;
	stale = lines > 2 * (size_t)intern_count(s->names) + 100;
	if (!writable)
		return 0;
	/* an old log is as good, but to a torn line nothing can be added */
	if ((torn || stale) && rewrite(s) != 0 && torn)
		return -1;
	s->fd = open(s->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
	return s->fd < 0 ? -1 : 0;
}

bool
state_knows(const struct state *s, const char *rel)
{
	return intern_find(s->names, rel, strlen(rel) + 1) != UINT32_MAX;
}

void
state_load(const struct state *s, struct item *i)
{
	uint32_t id = intern_find(s->names, i->rel, strlen(i->rel) + 1);

	if (id == UINT32_MAX)
		return;
	i->known = true;
	i->made = s->v[id];
	i->made.what = xstrdup(i->made.what);
}

int
state_put(struct state *s, const char *rel, const struct outcome *r)
{
	const char *line = line_of(rel, r);
	ssize_t n = write(s->fd, line, strlen(line));

	if (n >= 0 && (size_t)n < strlen(line)) {
		errno = ENOSPC;
		n = -1;
	}
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
