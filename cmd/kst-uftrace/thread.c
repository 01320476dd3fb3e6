/* SPDX-License-Identifier: ISC */
#include "thread.h"

#include "base/xalloc.h"
#include "text/range.h"

/* Open calls that are noted; uftrace itself records 1024 at most. */
enum { DEPTH_MAX = 4096 };

static void
push(struct calls *c, uint64_t data)
{
	if (c->n >= DEPTH_MAX) {
		c->more++;
		return;
	}
	if (c->n == c->cap)
		c->data = xgrow(c->data, c->n + 1, &c->cap, sizeof *c->data);
	c->data[c->n++] = data;
}

static void
pop(struct calls *c, uint64_t data, unsigned shift)
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
	emit_func(e, t, time, kind, true, addr, false);
	if (kind == EVENT_BEGIN)
		push(&t->kernel, addr);
	else
		pop(&t->kernel, addr, 0);
}

void
thread_begin(struct emit *e, struct thread *t, uint64_t data)
{
	emit_func(e, t, t->dat.time, EVENT_BEGIN, false, data >> ADDR, true);
	push(&t->calls, data);
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
		emit_func(
		    e, t, t->dat.time, EVENT_END, false, top >> ADDR, true);
	}
	return fits;
}

static void
leave_range(struct emit *e, struct thread *t)
{
	uint64_t to = e->range->to;

	for (size_t i = t->kernel.n; i-- > 0;)
		emit_func(e, t, to, EVENT_END, true, t->kernel.data[i], true);
	for (size_t i = t->calls.n; i-- > 0;)
		emit_func(
		    e, t, to, EVENT_END, false, t->calls.data[i] >> ADDR, true);
}

void
thread_enter_range(struct emit *e, struct thread *t)
{
	uint64_t from = e->range->from;

	for (size_t i = 0; i < t->calls.n; i++)
		emit_func(e, t, from, EVENT_BEGIN, false,
		    t->calls.data[i] >> ADDR, true);
	for (size_t i = 0; i < t->kernel.n; i++)
		emit_func(
		    e, t, from, EVENT_BEGIN, true, t->kernel.data[i], true);
}

static bool
prepare(struct emit *e, struct thread *t)
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

static void
record(struct emit *e, struct thread *t)
{
	emit_record(e, t);
	if (dat_type(&t->dat) == DAT_ENTRY)
		push(&t->calls, t->dat.data);
	else if (dat_type(&t->dat) == DAT_EXIT)
		pop(&t->calls, t->dat.data, e->data->depths ? DEPTH : ADDR);
}

bool
thread_follow(struct emit *e, struct thread *t)
{
	bool quiet = e->quiet;

	if (e->range && t->dat.time >= e->range->to) {
		leave_range(e, t);
		return t->more = false;
	}
	e->quiet |= !prepare(e, t);
	if (t->kin)
		forks_begin(e, t);
	record(e, t);
	if (t->kin)
		forks_note(t);
	e->quiet = quiet;
	return t->more = dat_next(&t->dat);
}
