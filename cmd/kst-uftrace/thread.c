/* SPDX-License-Identifier: ISC */
#include "thread.h"

#include <stdlib.h>
#include <string.h>

#include "emit.h"
#include "base/xalloc.h"
#include "set/bound.h"

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

/* Forks -------------------------------------------------------------------- */

/*
 * Which of its calls forked a child is not recorded. So when a process calls
 * the function whose end a child begins with, the functions around the call are
 * kept for the first such child that has none yet.
 */
struct child {
	struct thread *thread;
	uint64_t ppid, since;
	uint64_t by; /* that function, until such a call, or the child, came */
	struct calls at; /* that are open there */
};

/* By parent, then in the order in which they appear. */
static int
compare_children(const void *pa, const void *pb)
{
	const struct child *a = pa, *b = pb;

	if (a->ppid != b->ppid)
		return a->ppid < b->ppid ? -1 : 1;
	if (a->since != b->since)
		return a->since < b->since ? -1 : 1;
	return (a->thread > b->thread) - (a->thread < b->thread);
}

void
forks_find(struct forks *f, const struct data *d, struct thread *threads,
    size_t n_threads)
{
	const size_t size = sizeof *f->v, at = offsetof(struct child, ppid);

	for (size_t i = 0; i < n_threads; i++) {
		struct thread *t = &threads[i];
		const struct task *task = data_task(d, t->tid);

		if (task && task->ppid && t->more &&
		    dat_type(&t->dat) == DAT_EXIT)
			*xpush(f->v, f->n, f->cap) = (struct child){.thread = t,
			    .ppid = task->ppid,
			    .since = t->dat.time,
			    .by = dat_addr(&t->dat)};
	}
	if (f->n == 0)
		return;
	qsort(f->v, f->n, sizeof *f->v, compare_children);
	for (size_t i = 0; i < n_threads; i++) {
		struct thread *t = &threads[i];
		const struct task *task = data_task(d, t->tid);
		uint64_t pid = task ? task->pid : t->tid;
		size_t end = bound_above(f->v, f->n, size, at, pid);
		size_t start = bound_above(f->v, end, size, at, pid - 1);

		t->children = f->v + start; /* of pid 0 there are none */
		t->n_children = end - start;
	}
	for (size_t i = 0; i < f->n; i++)
		f->v[i].thread->child = &f->v[i];
}

void
forks_done(struct forks *f)
{
	for (size_t i = 0; i < f->n; i++)
		free(f->v[i].at.data);
	free(f->v);
}

/* A child begins, in the functions that its parent was in. */
static void
begin_child(struct emit *e, struct thread *t)
{
	struct child *c = t->child;

	t->child = NULL;
	c->by = UINT64_MAX;
	t->calls = c->at;
	c->at.data = NULL;
	put_calls(e, t, t->dat.time, EVENT_BEGIN, &t->calls);
}

/* A call that perhaps forks. */
static void
keep_calls(struct thread *t)
{
	const struct calls *open = &t->calls;
	struct child *c = t->children, *end = c + t->n_children;

	if (dat_type(&t->dat) != DAT_ENTRY || open->more)
		return;
	while (c < end && c->by != dat_addr(&t->dat))
		c++;
	if (c == end)
		return;
	c->by = UINT64_MAX;
	c->at.n = c->at.cap = open->n;
	c->at.data = xreallocn(NULL, open->n, sizeof *open->data);
	memcpy(c->at.data, open->data, open->n * sizeof *open->data);
}

/* Records ------------------------------------------------------------------ */

bool
thread_follow(struct emit *e, struct thread *t)
{
	bool quiet = e->quiet;

	if (e->range && t->dat.time >= e->range->to) {
		put_calls(e, t, e->range->to, EVENT_END, &t->calls);
		return t->more = false;
	}
	e->quiet |= !prepare(e, t);
	if (t->child)
		begin_child(e, t);
	record(e, t);
	if (t->n_children)
		keep_calls(t);
	e->quiet = quiet;
	return t->more = dat_next(&t->dat);
}
