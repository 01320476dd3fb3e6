/* SPDX-License-Identifier: ISC */
#include "capture.h"

#include "names/name.h"

static void
end_capture(struct collect *c)
{
	if (c->begun)
		capture_put_json(&c->capture);
	c->begun = false;
}

static void
begin_stack(struct collect *c)
{
	const struct trace_thread *th = &c->in.thread;
	bool has_cpu = c->in.has_thread && th->has_cpu && th->cpu < CPUS_MAX;

	c->is_wanted = has_cpu && cpus_has(c->capture.cpus, th->cpu);
	c->no_cpu += !has_cpu;
	c->begun |= has_cpu;
	if (!c->is_wanted)
		return;
	if (capture_has_room(&c->capture, 1, 0)) {
		capture_stack(&c->capture, th->cpu);
	} else {
		c->is_wanted = false;
		c->too_large++;
	}
}

static void
take_frame(struct collect *c)
{
	const struct memo_entry *e = c->in.entry;
	const char *name;
	size_t len, at = c->capture.text.len;

	if (!c->is_wanted)
		return;
	if (!capture_has_room(&c->capture, 0, 1)) {
		c->too_large++;
		return;
	}
	if (e == NULL) {
		name_of_frame(c->in.text, c->in.text_len, true, &name, &len);
		e = stacks_learn(&c->in, name, len, 0);
	}
	buf_add(&c->capture.text, memo_result(e), e->len);
	capture_frame(&c->capture, at);
}

void
collect_trace(struct collect *c, struct in *in)
{
	enum stacks_event event;

	stacks_open(&c->in, in);
	while ((event = stacks_next(&c->in)) != STACKS_EOF) {
		if (event == STACKS_FRAME) {
			take_frame(c);
		} else if (event == STACKS_BEGIN) {
			begin_stack(c);
		} else if (event == STACKS_CAPTURE) {
			end_capture(c);
			c->begun = c->in.t.kind == TRACE_CAPTURE;
		}
	}
	end_capture(c);
}
