/* SPDX-License-Identifier: ISC */
#include "thread.h"

#include "emit.h"
#include "forks.h"
#include "base/xalloc.h"

/* Open calls that are noted; uftrace itself records 1024 at most. */
enum { DEPTH_MAX = 4096 };

static void
push(struct calls *c, uint64_t data)
{
	if (c->n >= DEPTH_MAX)
		c->more++;
	else
		*xpush(c->data, c->n, c->cap) = data;
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
		emit_repaired(e, t, t->dat.time, EVENT_END, top >> ADDR);
	}
	return fits;
}

/* Begins, or ends from the innermost on, all these calls. */
static void
put_calls(struct emit *e, const struct thread *t, uint64_t time,
    enum event_kind kind, const struct calls *c)
{
	for (size_t i = 0; i < c->n; i++) {
		uint64_t data = c->data[kind == EVENT_BEGIN ? i : c->n - 1 - i];

		emit_repaired(e, t, time, kind, data >> ADDR);
	}
}

void
thread_enter_range(struct emit *e, struct thread *t)
{
	put_calls(e, t, e->range->from, EVENT_BEGIN, &t->calls);
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
		put_calls(e, t, e->range->to, EVENT_END, &t->calls);
		return t->more = false;
	}
	e->quiet |= !prepare(e, t);
	if (t->child) {
		forks_begin(t);
		put_calls(e, t, t->dat.time, EVENT_BEGIN, &t->calls);
	}
	record(e, t);
	if (t->n_children)
		forks_keep(t);
	e->quiet = quiet;
	return t->more = dat_next(&t->dat);
}
