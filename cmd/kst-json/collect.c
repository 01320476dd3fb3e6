/* SPDX-License-Identifier: ISC */
#include "collect.h"
#include "capture.h"

#include "names/name.h"
#include "text/quote.h"

static void
end_capture(struct collect *c)
{
	if (c->begun)
		capture_put(&c->capture, true);
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
	c->stack = c->capture.text.len;
	if (c->is_wanted && !capture_stack(&c->capture, th->cpu)) {
		c->is_wanted = false;
		c->too_large++;
	}
}

/* Learns a name as JSON has it, and its length. */
static const struct memo_entry *
learn(struct collect *c)
{
	struct buf *b = &c->capture.scratch;
	const char *name;
	size_t len;

	name_of_frame(c->in.text, c->in.text_len, true, &name, &len);
	b->len = 0;
	quote_json_to(b, name, len);
	return stacks_learn(&c->in, b->p, b->len, (uint32_t)len);
}

static void
take_frame(struct collect *c)
{
	const struct memo_entry *e = c->in.entry;
	struct buf *b = &c->capture.text;

	if (!c->is_wanted)
		return;
	if (e == NULL)
		e = learn(c);
	if (!capture_frame(&c->capture, e->value)) {
		c->too_large++;
		return;
	}
	if (b->len > c->stack)
		buf_addc(b, ',');
	buf_add(b, memo_result(e), e->len);
}

const char *
collect_trace(void *collect, struct in *in)
{
	struct collect *c = collect;
	uint64_t before = c->capture.captures + c->no_cpu;
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
	return c->capture.captures + c->no_cpu > before ? NULL
							: "no stacks found";
}
