/* SPDX-License-Identifier: ISC */
#include "extern.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/msg.h"
#include "text/events.h"

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* `SECONDS[.FRACTION] MESSAGE` */
static bool
parse(struct notes *n, const char *p, const char *end)
{
	const char *digits = p;
	unsigned places = 0;
	uint64_t ns = 0;
	bool dot = false, over = false;

	for (; p < end && !is_blank(*p); p++) {
		if (*p == '.' && !dot && p > digits) {
			dot = true;
			continue;
		}
		if (*p < '0' || *p > '9')
			return false;
		if (places == 9)
			continue;
		places += dot;
		over |= __builtin_mul_overflow(ns, 10u, &ns) ||
			__builtin_add_overflow(ns, (uint64_t)(*p - '0'), &ns);
	}
	for (; places < 9; places++)
		over |= __builtin_mul_overflow(ns, 10u, &ns);
	while (p < end && is_blank(*p))
		p++;
	n->time = ns;
	n->text = p;
	n->len = (size_t)(end - p);
	return p < end && p > digits && is_blank(p[-1]) && !over;
}

void
notes_next(struct notes *n)
{
	const char *p, *end;
	size_t len;

	while (!n->done && in_next(&n->in, &p, &len)) {
		end = p + len;
		while (p < end && is_blank(*p))
			p++;
		while (end > p && (is_blank(end[-1]) || end[-1] == '\r'))
			end--;
		if (p == end || *p == '#')
			continue;
		if (parse(n, p, end))
			return;
		fault_say(&n->bad, &n->in, "not a note: '%s'",
		    msg_text(p, (size_t)(end - p)));
	}
	n->done = true;
	n->failed |= n->path && in_failed(&n->in);
}

void
notes_init(struct notes *n, char *path)
{
	memset(n, 0, sizeof *n);
	n->bad.what = "line that is not a note";
	n->path = path;
	n->done = path == NULL;
	if (path == NULL)
		return;
	in_init_folder(&n->in, &n->path, 1, 1 << 14);
	notes_next(n);
}

void
notes_done(struct notes *n)
{
	if (n->path)
		in_done(&n->in);
	free(n->path);
	memset(n, 0, sizeof *n);
}

void
notes_put(const struct notes *n)
{
	const struct event_args a = {.text = n->text, .len = n->len};
	struct buf args = BUF_INIT;
	struct event e = {.time = n->time,
	    .kind = EVENT_INSTANT,
	    .track = "extern",
	    .track_len = sizeof "extern" - 1,
	    .name = "extern-data",
	    .name_len = sizeof "extern-data" - 1};

	event_add_args(&args, &a);
	e.args = args.p;
	e.args_len = args.len;
	event_put(&e);
	buf_done(&args);
}
