/* SPDX-License-Identifier: ISC */
#include "collect.h"

#include "names/name.h"
#include "text/trace.h"

static void
end_capture(struct collect *c)
{
	if (c->begun) {
		capture_sort(&c->capture);
		c->put(c->arg, &c->capture);
	}
	capture_clear(&c->capture);
	c->begun = c->in_stack = false;
	c->n++;
}

/* The first frame of a stack. */
static void
begin_stack(struct collect *c)
{
	c->is_wanted = c->has_cpu && cpus_has(c->cpus, c->cpu);
	c->no_cpu += !c->has_cpu;
	c->in_stack = true;
	if (!c->has_cpu)
		return;
	if (c->seen[c->cpu] == c->n + 1)
		end_capture(c);
	c->in_stack = c->begun = true;
	c->seen[c->cpu] = c->n + 1;
	if (!c->is_wanted)
		return;
	if (capture_has_room(&c->capture, 1, 0)) {
		capture_stack(&c->capture, c->cpu);
	} else {
		c->is_wanted = false;
		c->too_large++;
	}
}

static void
frame(struct collect *c, const struct trace_line *t)
{
	const char *name;
	size_t len, at;

	if (!c->in_stack || t->number <= c->number)
		begin_stack(c);
	c->number = t->number;
	if (!c->is_wanted)
		return;
	if (!capture_has_room(&c->capture, 0, 1)) {
		c->too_large++;
		return;
	}
	name_of_frame(t->frame, t->frame_len, true, &name, &len);
	at = c->capture.text.len;
	buf_add(&c->capture.text, name, len);
	capture_frame(&c->capture, at);
}

static void
thread(struct collect *c, const struct trace_line *t)
{
	struct trace_thread th;

	trace_thread_parse(t->text, t->len, &th);
	c->has_cpu = th.has_cpu && th.cpu < CPUS_MAX;
	c->cpu = th.cpu;
	c->in_stack = false;
}

void
collect_line(struct collect *c, const char *line, size_t len)
{
	struct trace_line t;

	trace_read(&c->reader, line, len, &t);
	switch (t.kind) {
	case TRACE_FRAME:
		frame(c, &t);
		break;
	case TRACE_THREAD:
		thread(c, &t);
		break;
	case TRACE_CAPTURE:
		end_capture(c);
		c->begun = true;
		c->has_cpu = false;
		break;
	case TRACE_ROUND:
		end_capture(c);
		c->has_cpu = false;
		break;
	default:
		break;
	}
}

void
collect_end(struct collect *c)
{
	end_capture(c);
	c->has_cpu = false;
}

void
collect_done(struct collect *c)
{
	capture_done(&c->capture);
	trace_reader_done(&c->reader);
}
