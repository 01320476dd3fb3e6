/* SPDX-License-Identifier: ISC */
/*
 * Which of its calls forked a child is not recorded. So each call of a function
 * that a child begins with the end of is noted, with the functions around it;
 * the first child to appear has the first of them.
 */
#include "emit.h"

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
	struct calls open;
};

struct forks {
	struct family *families;
	struct kin *kin; /* by track */
	size_t n_families, cap, n_tracks;
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
parent_of(const struct data *d, const struct track *t)
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
forks_new(const struct data *d, struct track *tracks, size_t n_tracks)
{
	struct forks *f = xcalloc(1, sizeof *f);

	for (size_t i = 0; i < n_tracks; i++) {
		uint64_t pid = parent_of(d, &tracks[i]);

		if (pid)
			add_child(f, pid, dat_addr(&tracks[i].dat));
	}
	if (f->n_families == 0) {
		free(f);
		return NULL;
	}
	for (size_t i = 0; i < f->n_families; i++)
		f->families[i].forked =
		    xcalloc(f->families[i].n_by, sizeof *f->families[i].forked);
	f->kin = xcalloc(n_tracks, sizeof *f->kin);
	f->n_tracks = n_tracks;
	for (size_t i = 0; i < n_tracks; i++) {
		struct track *t = &tracks[i];
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
			free(fam->forked[k].addr);
		free(fam->forked);
		free(fam->by);
	}
	for (size_t i = 0; i < f->n_tracks; i++)
		free(f->kin[i].open.addr);
	free(f->families);
	free(f->kin);
	free(f);
}

/* Notes a call that may fork; no more of them than there are children. */
static void
note_fork(struct family *fam, const struct calls *open, uint64_t addr)
{
	struct calls *c = &fam->forked[fam->n_forked];
	size_t i = 0;

	while (i < fam->n_by && fam->by[i] != addr)
		i++;
	if (i == fam->n_by || fam->n_forked == fam->n_by || open->more)
		return;
	*c = (struct calls){.n = open->n, .cap = open->n};
	c->addr = xreallocn(NULL, open->n, sizeof *c->addr);
	memcpy(c->addr, open->addr, open->n * sizeof *c->addr);
	fam->n_forked++;
}

/* A child begins: it is in the functions that its parent was in. */
static void
begin(struct emit *e, struct track *t, struct family *fam)
{
	uint64_t by = dat_addr(&t->dat);
	struct calls *c = fam->forked, *end = c + fam->n_forked;

	while (c < end && c->addr[c->n - 1] != by)
		c++;
	if (c == end)
		return;
	for (size_t i = 0; i < c->n; i++) {
		emit_begin(e, t, c->addr[i]);
		if (t->kin->own)
			calls_push(&t->kin->open, c->addr[i]);
	}
	free(c->addr);
	memmove(c, c + 1, (size_t)(end - c - 1) * sizeof *c);
	fam->n_forked--;
}

void
forks_note(struct emit *e, struct track *t)
{
	struct kin *kin = t->kin;
	uint64_t addr = dat_addr(&t->dat);

	if (kin->parent)
		begin(e, t, kin->parent);
	kin->parent = NULL;
	if (kin->own == NULL)
		return;
	if (dat_type(&t->dat) == DAT_ENTRY) {
		calls_push(&kin->open, addr);
		note_fork(kin->own, &kin->open, addr);
	} else if (dat_type(&t->dat) == DAT_EXIT) {
		calls_pop(&kin->open, addr);
	}
}
