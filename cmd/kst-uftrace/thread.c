/* SPDX-License-Identifier: ISC */
#include "thread.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* Open calls that are noted; uftrace itself records 1024 at most. */
enum { DEPTH_MAX = 4096 };

static void
push(struct calls *c, uint64_t data)
{
	if (c->n >= DEPTH_MAX) {
		c->more++;
		return;
	}
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

/* Forks -------------------------------------------------------------------- */

/*
 * Which of its calls forked a child is not recorded. So each call of a function
 * that a child begins with the end of is noted, with the functions around it;
 * the first child to appear has the first of them.
 */

/* A process that forked. */
struct family {
	uint64_t pid;
	uint64_t *by; /* for each child, the function whose end is its first */
	struct calls *forked; /* those noted, and not taken by a child */
	size_t n_by, by_cap, n_forked;
};

struct kin {
	struct family *own;    /* if its process forks, or NULL */
	struct family *parent; /* of a child until its first record, or NULL */
};

struct forks {
	struct family *families;
	struct kin *kin; /* by track */
	size_t n_families, cap;
};

static struct family *
family_of(const struct forks *f, uint64_t pid)
{
	for (size_t i = 0; i < f->n_families; i++) {
		if (f->families[i].pid == pid)
			return &f->families[i];
	}
	return NULL;
}

/* The process that forked the track's, if it ends a call at first; or 0. */
static uint64_t
parent_of(const struct data *d, const struct thread *t)
{
	const struct task *task = data_task(d, t->tid);

	return task && t->dat.n && dat_type(&t->dat) == DAT_EXIT ? task->ppid
								 : 0;
}

static void
add_child(struct forks *f, uint64_t pid, uint64_t by)
{
	struct family *fam = family_of(f, pid);

	if (fam == NULL) {
		fam = xpush(f->families, f->n_families, f->cap);
		*fam = (struct family){.pid = pid};
	}
	*xpush(fam->by, fam->n_by, fam->by_cap) = by;
}

struct forks *
forks_new(const struct data *d, struct thread *threads, size_t n_threads)
{
	struct forks *f = xcalloc(1, sizeof *f);

	for (size_t i = 0; i < n_threads; i++) {
		uint64_t pid = parent_of(d, &threads[i]);

		if (pid)
			add_child(f, pid, dat_addr(&threads[i].dat));
	}
	if (f->n_families == 0) {
		free(f);
		return NULL;
	}
	for (size_t i = 0; i < f->n_families; i++)
		f->families[i].forked =
		    xcalloc(f->families[i].n_by, sizeof *f->families[i].forked);
	f->kin = xcalloc(n_threads, sizeof *f->kin);
	for (size_t i = 0; i < n_threads; i++) {
		struct thread *t = &threads[i];
		const struct task *task = data_task(d, t->tid);
		struct kin *kin = &f->kin[i];

		kin->own = family_of(f, task ? task->pid : t->tid);
		kin->parent = family_of(f, parent_of(d, t));
		if (kin->own || kin->parent)
			t->kin = kin;
	}
	return f;
}

void
forks_free(struct forks *f)
{
	if (f == NULL)
		return;
	for (size_t i = 0; i < f->n_families; i++) {
		struct family *fam = &f->families[i];

		for (size_t k = 0; k < fam->n_forked; k++)
			free(fam->forked[k].data);
		free(fam->forked);
		free(fam->by);
	}
	free(f->families);
	free(f->kin);
	free(f);
}

/* A call that was not recorded begins, at the time of the record. */
static void
begin(struct emit *e, struct thread *t, uint64_t data)
{
	emit_func(e, t, t->dat.time, EVENT_BEGIN, false, data >> ADDR, true);
	push(&t->calls, data);
}

/* A child begins: it is in the functions that its parent was in. */
static void
forks_begin(struct emit *e, struct thread *t)
{
	struct family *fam = t->kin->parent;
	struct calls *c, *end;

	t->kin->parent = NULL;
	if (fam == NULL)
		return;
	c = fam->forked;
	end = c + fam->n_forked;
	while (c < end && c->data[c->n - 1] >> 16 != dat_addr(&t->dat))
		c++;
	if (c == end)
		return;
	for (size_t i = 0; i < c->n; i++)
		begin(e, t, c->data[i]);
	free(c->data);
	memmove(c, c + 1, (size_t)(end - c - 1) * sizeof *c);
	fam->n_forked--;
}

/* No more calls are noted than there are children. */
static void
forks_note(struct thread *t)
{
	struct family *fam = t->kin->own;
	const struct calls *open = &t->calls;
	struct calls *c;
	size_t i = 0;

	if (fam == NULL || dat_type(&t->dat) != DAT_ENTRY || open->more)
		return;
	while (i < fam->n_by && fam->by[i] != dat_addr(&t->dat))
		i++;
	if (i == fam->n_by || fam->n_forked == fam->n_by)
		return;
	c = &fam->forked[fam->n_forked++];
	*c = (struct calls){.n = open->n, .cap = open->n};
	c->data = xreallocn(NULL, c->n, sizeof *c->data);
	memcpy(c->data, open->data, open->n * sizeof *c->data);
}

/* Records ------------------------------------------------------------------ */

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
