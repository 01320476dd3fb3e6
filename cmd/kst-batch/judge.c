/* SPDX-License-Identifier: ISC */
/* The only file that reads what the filters say: their messages and statuses.
 */
#include <inttypes.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/msg.h"
#include "source.h"
#include "worker.h"

void
say(struct worker *w, const struct unit *u, enum result_status status,
    const char *what)
{
	buf_printf(&w->messages, "%s: %s\n", u->name, what);
	if (w->result.status < status)
		w->result.status = status;
}

void
say_line(
    struct worker *w, const struct unit *u, uint64_t line, const char *what)
{
	buf_printf(&w->messages, "%s:%" PRIu64 ": %s\n", u->name, line, what);
	if (w->result.status < RESULT_FAULTY)
		w->result.status = RESULT_FAULTY;
}

/* Of a part: the lines before it. Other parts of the file have one cache. */
static uint64_t
lines_before(const struct unit *u)
{
	struct buf cache = BUF_INIT;
	uint64_t n;

	buf_printf(&cache, "%.*s.lines",
	    (int)(strrchr(u->folded, '.') - u->folded), u->folded);
	n = source_lines_before(u->path, u->off, buf_str(&cache));
	buf_done(&cache);
	return n;
}

/* A filter's line of message, with the capture's name for `stdin`. */
static void
take_message(struct worker *w, const struct unit *u, const char *line,
    size_t len, bool first_stage)
{
	static const char in[] = ": stdin:";
	const char *p = memmem(line, len, in, sizeof in - 1), *end = line + len;
	uint64_t n = 0;

	if (p == NULL || p - line > 16) {
		buf_printf(&w->messages, "%s: %.*s\n", u->name, (int)len, line);
		return;
	}
	p += sizeof in - 1;
	if (!first_stage) {
		buf_printf(&w->messages, "%s: %.*s: line %.*s\n", u->name,
		    (int)strcspn(line, ":"), line, (int)(end - p), p);
		return;
	}
	while (p < end && *p >= '0' && *p <= '9')
		n = n * 10 + (uint64_t)(*p++ - '0');
	if (n > 0 && u->kind == 'p' && u->off > 0)
		n += lines_before(u);
	if (n > 0 && w->share)
		n = share_line(w, u, n);
	if (n > 0)
		buf_printf(&w->messages, "%s:%" PRIu64 "%.*s\n", u->name, n,
		    (int)(end - p), p);
	else
		buf_printf(
		    &w->messages, "%s:%.*s\n", u->name, (int)(end - p), p);
}

static void
take_messages(struct worker *w, const struct unit *u, const struct stage *s,
    bool first_stage)
{
	const char *p = s->err.p, *end = p + s->err.len;

	while (p && p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((nl ? nl : end) - p);

		if (!memmem(p, len, " stacks counted, ", 17) &&
		    !memmem(p, len, " different stacks, ", 19))
			take_message(w, u, p, len, first_stage);
		p += len + 1;
	}
}

void
judge_stages(struct worker *w, const struct unit *u, const struct pipeline *p)
{
	char text[100];

	for (size_t i = 0; i < p->n; i++) {
		const struct stage *s = &p->stage[i];
		int code = WIFEXITED(s->status) ? WEXITSTATUS(s->status) : -1;

		if (code == 0)
			continue;
		if (code == EXIT_FAILED) {
			take_messages(w, u, s, i == 0);
			if (w->result.status < RESULT_FAULTY)
				w->result.status = RESULT_FAULTY;
			continue;
		}
		/* killed by SIGPIPE: what ended before it says why */
		if (code < 0 && WTERMSIG(s->status) == SIGPIPE && i + 1 < p->n)
			continue;
		if (code >= 0) {
			take_messages(w, u, s, i == 0);
			snprintf(text, sizeof text, "%s failed with status %d",
			    s->argv[0], code);
		} else {
			snprintf(text, sizeof text,
			    "%s was killed by signal %d", s->argv[0],
			    WTERMSIG(s->status));
		}
		say(w, u, RESULT_FAILED, text);
	}
}

/* Reads kst-fold's summary: `C captures, S stacks counted, L left out, ...` */
void
judge_summary(struct worker *w, const struct stage *s)
{
	uint64_t captures = 0, stacks = 0, out = 0;
	const char *p;
	struct buf text = BUF_INIT;

	buf_add(&text, s->err.p, s->err.len);
	buf_addc(&text, '\n');
	buf_add(&text, s->tail.p, s->tail.len);
	for (p = buf_str(&text); (p = strstr(p, "kst-fold: ")); p += 10)
		if (sscanf(p,
			"kst-fold: %" SCNu64 " captures, %" SCNu64
			" stacks counted, "
			"%" SCNu64 " left out",
			&captures, &stacks, &out) == 3)
			break;
	if (p) {
		w->result.captures = captures;
		w->result.stacks = stacks;
		w->no_stack = stacks + out == 0;
	}
	buf_done(&text);
}

void
judge_empty(struct worker *w, const struct unit *u)
{
	if (w->no_stack && w->messages.len == 0)
		say_line(w, u, 1, "no stack is in this file");
}
