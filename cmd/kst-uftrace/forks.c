/* SPDX-License-Identifier: ISC */
#include "forks.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "folder/dat.h"
#include "folder/folder.h"
#include "set/bound.h"
#include "thread.h"

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

void
forks_begin(struct thread *t)
{
	struct child *c = t->child;

	t->child = NULL;
	c->by = UINT64_MAX;
	t->calls = c->at;
	c->at.data = NULL;
}

void
forks_keep(struct thread *t)
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
