/* SPDX-License-Identifier: ISC */
/*
 * Which of its calls forked a child is not recorded. So each call of a function
 * that a child begins with the end of is noted, with the functions around it;
 * the first child to appear has the first of them.
 */
#include "thread.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

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
		f->families = xgrow(f->families, f->n_families + 1, &f->cap,
		    sizeof *f->families);
		fam = &f->families[f->n_families++];
		*fam = (struct family){.pid = pid};
	}
	fam->by = xgrow(fam->by, fam->n_by + 1, &fam->by_cap, sizeof *fam->by);
	fam->by[fam->n_by++] = by;
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

/* A child begins: it is in the functions that its parent was in. */
void
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
		thread_begin(e, t, c->data[i]);
	free(c->data);
	memmove(c, c + 1, (size_t)(end - c - 1) * sizeof *c);
	fam->n_forked--;
}

/* No more calls are noted than there are children. */
void
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
