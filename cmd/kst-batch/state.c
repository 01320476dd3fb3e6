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
#include "base/xalloc.h"
#include "batch.h"

struct state {
	int fd; /* to append to, -1: read only */
	char *path;
	struct buf text;      /* of the file */
	struct intern *names; /* encoded, as in the file */
	char **line;	      /* in the text: the last one of each name */
	size_t cap;
};

/* Only what counts stays. */
static int
rewrite(const struct state *s)
{
	const char *temp = text_of("%s.new", s->path);
	struct buf b = BUF_INIT;
	int status;

	for (uint32_t i = 0; i < intern_count(s->names); i++) {
		size_t len;

		buf_printf(
		    &b, "%s\t%s\n", intern_str(s->names, i, &len), s->line[i]);
	}
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
	char *line, *rest, *name;
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
		lines++;
		name = strsep(&line, "\t");
		if (line)
			*xitem(s->line,
			    intern_id(s->names, name, strlen(name) + 1),
			    s->cap) = line;
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

/* The name's number, or UINT32_MAX. */
static uint32_t
find(const struct state *s, const char *rel)
{
	const char *name = text_encode(rel);

	return intern_find(s->names, name, strlen(name) + 1);
}

bool
state_knows(const struct state *s, const char *rel)
{
	return find(s, rel) != UINT32_MAX;
}

/* 9 numbers, and the first fault. */
bool
outcome_parse(const char *text, struct outcome *r)
{
	struct outcome o = {0};
	int n = 0;

	if (sscanf(text,
		"%" SCNx64 "%" SCNx64 "%" SCNu64 "%" SCNu64 "%" SCNu64
		"%" SCNu64 "%" SCNu64 "%" SCNu64 "%" SCNu64 "%n",
		&o.key, &o.svg_key, &o.status, &o.size, &o.mtime, &o.folded,
		&o.svg, &o.captures, &o.line, &n) != 9 ||
	    text[n] != '\t' || o.status > STATUS_FAILED)
		return false;
	o.what = xstrdup(text + n + 1);
	*r = o;
	return true;
}

const char *
outcome_text(const struct outcome *r)
{
	return text_of("%" PRIx64 "\t%" PRIx64 "\t%" PRIu64 "\t%" PRIu64
		       "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
		       "\t%" PRIu64 "\t%s",
	    r->key, r->svg_key, r->status, r->size, r->mtime, r->folded, r->svg,
	    r->captures, r->line, r->what ? r->what : "");
}

void
state_load(const struct state *s, struct item *i)
{
	uint32_t id = find(s, i->rel);
	struct outcome r;

	if (id == UINT32_MAX || !outcome_parse(s->line[id], &r))
		return;
	if (r.status > STATUS_BROKEN) {
		free(r.what);
		return;
	}
	i->known = true;
	i->made = r;
}

int
state_put(struct state *s, const char *rel, const struct outcome *r)
{
	const char *line =
	    text_of("%s\t%s\n", text_encode(rel), outcome_text(r));
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
	free(s->line);
	free(s->path);
	free(s);
}
