/* SPDX-License-Identifier: ISC */
#include "facts/scan.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "flame.h"
#include "io/in.h"
#include "trace/trace.h"

/* Captures have their threads in the same order: it is the next one, mostly. */
static struct scan_thread *
find_thread(struct scan *s, const char *label, size_t len)
{
	for (size_t i = 0; i < s->n_threads; i++) {
		struct scan_thread *t =
		    &s->thread[(s->last + 1 + i) % s->n_threads];

		if (bytes_is(label, len, t->label)) {
			s->last = (size_t)(t - s->thread);
			return t;
		}
	}
	s->last = s->n_threads;
	*xpush(s->thread, s->n_threads, s->cap_threads) =
	    (struct scan_thread){xmemdup0(label, len), s->n - 1, 0};
	return &s->thread[s->last];
}

static void
add_capture(struct scan *s, const char *line, size_t len)
{
	struct scan_capture c = {0};
	const char *time;
	size_t n;

	if (trace_meta_get(line, len, "time", &time, &n)) {
		char *copy = xmemdup0(time, n);

		c.time = strtod(copy, NULL);
		free(copy);
	}
	*xpush(s->capture, s->n, s->cap) = c;
}

static void
add_stack(struct scan *s, const char *line, size_t len)
{
	struct trace_thread t;
	struct scan_capture *c = &s->capture[s->n - 1];

	trace_thread_parse(line, len, &t);
	if (t.has_cpu) {
		c->cpus++;
		c->running += t.state == STATE_RUNNING;
	} else {
		find_thread(s, t.label, t.label_len)->waits +=
		    t.state == STATE_WAITING || t.state == STATE_DISK;
	}
}

void
scan_read(struct scan *s, const struct plan *p)
{
	const int fd = open(p->text, O_RDONLY | O_CLOEXEC);
	const char *line;
	struct in in;
	size_t len;

	if (fd < 0)
		return;
	in_init_fd(&in, fd, p->text);
	in.quiet = true;
	while (in_next(&in, &line, &len))
		if (bytes_starts(line, len, "[kst-capture "))
			add_capture(s, line, len);
		else if (s->n > 0 && bytes_starts(line, len, "Thread "))
			add_stack(s, line, len);
	in_done(&in);
}

void
scan_done(struct scan *s)
{
	for (size_t i = 0; i < s->n_threads; i++)
		free(s->thread[i].label);
	free(s->thread);
	free(s->capture);
}

bool
scan_always(const struct scan *s, const char *label, size_t len)
{
	for (size_t i = 0; i < s->n_threads; i++)
		if (bytes_is(label, len, s->thread[i].label))
			return s->thread[i].waits == s->n - s->thread[i].first;
	return false;
}
