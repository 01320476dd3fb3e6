/* SPDX-License-Identifier: ISC */
#include "thread.h"

#include "base/xalloc.h"
#include "text/range.h"

/* Open calls that are noted; uftrace itself records 1024 at most. */
enum { DEPTH_MAX = 4096 };

void
calls_push(struct calls *c, uint64_t data)
{
	if (c->n >= DEPTH_MAX) {
		c->more++;
		return;
	}
	if (c->n == c->cap)
		c->data = xgrow(c->data, c->n + 1, &c->cap, sizeof *c->data);
	c->data[c->n++] = data;
}

void
calls_pop(struct calls *c, uint64_t data, unsigned shift)
{
	size_t n = c->n;

	if (c->more) {
		c->more--;
		return;
	}
	while (n > 0 && (c->data[n - 1] ^ data) >> shift)
		n--;
	if (n > 0)
		c->n = n - 1;
}

void
thread_kernel(struct emit *e, struct thread *t, uint64_t time,
    enum event_kind kind, uint64_t addr)
{
	e->args.len = 0;
	emit_kernel(e, t, time, kind, addr);
	if (kind == EVENT_BEGIN)
		calls_push(&t->kernel, addr);
	else
		calls_pop(&t->kernel, addr, 0);
}

void
thread_begin(struct emit *e, struct thread *t, uint64_t data)
{
	emit_synthetic(e, t, t->dat.time, EVENT_BEGIN, data);
	calls_push(&t->calls, data);
}

/*
 * Ends the calls that a longjmp, an exception or execve() has left: a record's
 * depth is how many calls are around it. Returns false for the end of another
 * call than the one that is open at that depth, as of setjmp's second return.
 */
static bool
close_down(struct emit *e, struct thread *t)
{
	bool is_exit = dat_type(&t->dat) == DAT_EXIT, fits = true;
	struct calls *c = &t->calls;

	while (c->n > 0) {
		uint64_t top = c->data[c->n - 1];

		if (dat_depth(top) < dat_depth(t->dat.data))
			break;
		if (is_exit && dat_depth(top) == dat_depth(t->dat.data)) {
			if ((top ^ t->dat.data) >> ADDR == 0)
				break;
			fits = false;
		}
		c->n--;
		emit_synthetic(e, t, t->dat.time, EVENT_END, top);
	}
	return fits;
}

void
thread_leave_range(struct emit *e, struct thread *t)
{
	uint64_t to = e->range->to;

	for (size_t i = t->kernel.n; i-- > 0;) {
		emit_repaired(e);
		emit_kernel(e, t, to, EVENT_END, t->kernel.data[i]);
	}
	for (size_t i = t->calls.n; i-- > 0;)
		emit_synthetic(e, t, to, EVENT_END, t->calls.data[i]);
}

void
thread_enter_range(struct emit *e, struct thread *t)
{
	uint64_t from = e->range->from;

	for (size_t i = 0; i < t->calls.n; i++)
		emit_synthetic(e, t, from, EVENT_BEGIN, t->calls.data[i]);
	for (size_t i = 0; i < t->kernel.n; i++) {
		emit_repaired(e);
		emit_kernel(e, t, from, EVENT_BEGIN, t->kernel.data[i]);
	}
}

bool
thread_prepare(struct emit *e, struct thread *t)
{
	bool fits = true;

	if (e->data->depths && dat_type(&t->dat) <= DAT_EXIT)
		fits = close_down(e, t);
	if (t->dat.time >= t->session_until) {
		const struct session *s = data_session_at(
		    e->data, t->tid, t->dat.time, &t->session_until);

		t->view = s ? s->view : e->data->no_view;
	}
	return fits;
}

void
thread_record(struct emit *e, struct thread *t)
{
	emit_record(e, t);
	if (dat_type(&t->dat) == DAT_ENTRY)
		calls_push(&t->calls, t->dat.data);
	else if (dat_type(&t->dat) == DAT_EXIT)
		calls_pop(
		    &t->calls, t->dat.data, e->data->depths ? DEPTH : ADDR);
}
