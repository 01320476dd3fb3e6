/* SPDX-License-Identifier: ISC */
/* Finds the captures. */
#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/intern.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "batch.h"

/* What the run writes: its folder, a sum and its picture, a log. */
struct own {
	struct stat v[4];
	size_t n;
};

static bool
is_own(const struct own *own, const struct stat *st)
{
	for (size_t i = 0; i < own->n; i++)
		if (own->v[i].st_dev == st->st_dev &&
		    own->v[i].st_ino == st->st_ino)
			return true;
	return false;
}

struct item *
items_add(struct items *t)
{
	t->v = xgrow(t->v, t->n + 1, &t->cap, sizeof *t->v);
	memset(&t->v[t->n], 0, sizeof *t->v);
	return &t->v[t->n++];
}

const char *
path_absolute(const struct batch *b, const char *name)
{
	return *name == '/' ? name : text_of("%s/%s", b->cwd, name);
}

const char *
item_output(const struct batch *b, const struct item *i, const char *suffix)
{
	if (!i->is_sum)
		return text_of("%s/%s%s", b->out, i->rel, suffix);
	return strcmp(suffix, ".svg") == 0 ? sums_svg(i->path) : i->path;
}

/* A capture; its name below OUT is what follows the operand's folder. */
static void
add(struct batch *b, const FTSENT *e, const struct stat *st)
{
	struct item *i = items_add(&b->items);
	const FTSENT *operand = e;
	const char *output;
	size_t above;

	while (operand->fts_level > 0)
		operand = operand->fts_parent;
	above = operand == e ? e->fts_pathlen - e->fts_namelen
			     : operand->fts_pathlen;
	i->path = xstrdup(path_absolute(b, e->fts_path));
	i->rel = strchr(i->path, 0) - (e->fts_pathlen - above);
	i->rel += strspn(i->rel, "/");
	i->size = (uint64_t)st->st_size;
	i->mtime = (uint64_t)st->st_mtim.tv_sec * 1000000000u +
		   (uint64_t)st->st_mtim.tv_nsec;
	i->key = b->key;
	output = item_output(b, i, ".folded");
	if (intern_id(b->outputs, output, strlen(output)) < b->items.n - 1)
		msg_die(EXIT_USAGE, "%s: another capture has the same output",
		    msg_str(e->fts_path));
}

/* Whether to leave out what was found: what a run writes, or wrote. */
static bool
is_skipped(const struct own *own, const FTSENT *e, const struct stat *st)
{
	if (e->fts_level == 0 && is_own(own, st))
		msg_die(EXIT_USAGE, "%s would be written, not read",
		    msg_str(e->fts_path));
	return is_own(own, st) ||
	       (e->fts_level > 0 &&
		   (strncmp(e->fts_name, ".kst-batch", 10) == 0 ||
		       (e->fts_info == FTS_D &&
			   file_size(text_of("%s/.kst-batch/state",
			       e->fts_path)) != UINT64_MAX)));
}

/* For the reason in errno. */
static void
cannot_read(struct batch *b, const char *path)
{
	b->unreadable++;
	msg_errno("%s", msg_str(path));
}

/* What was found. */
static void
visit(struct batch *b, const struct own *own, FTS *f, FTSENT *e)
{
	struct stat st = {0};
	bool failed = e->fts_info == FTS_DNR || e->fts_info == FTS_ERR ||
		      e->fts_info == FTS_NS;

	if (e->fts_info == FTS_DP || e->fts_info == FTS_DC)
		return;
	if (failed)
		errno = e->fts_errno;
	if (failed || stat(e->fts_path, &st) != 0)
		cannot_read(b, e->fts_path);
	else if (is_skipped(own, e, &st))
		fts_set(f, e, FTS_SKIP);
	else if (S_ISREG(st.st_mode))
		add(b, e, &st);
	else if (e->fts_level == 0 && e->fts_info != FTS_D) {
		b->unreadable++;
		msg("%s: not a regular file", msg_str(e->fts_path));
	}
}

static int
by_rel(const void *a, const void *b)
{
	return strcmp(
	    ((const struct item *)a)->rel, ((const struct item *)b)->rel);
}

void
items_find(struct batch *b, char **operands)
{
	const char *merge = b->o->merge,
		   *writes[] = {b->out, b->o->joblog, merge,
		       merge ? sums_svg(merge) : NULL};
	struct own own = {.n = 0};
	FTSENT *e;
	FTS *f;

	b->outputs = intern_new();
	for (size_t k = 0; k < sizeof writes / sizeof *writes; k++)
		own.n += writes[k] && stat(writes[k], &own.v[own.n]) == 0;
	f = fts_open(
	    operands, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
	while (f && (errno = 0, e = fts_read(f)))
		visit(b, &own, f, e);
	if (errno)
		cannot_read(b, *operands);
	if (f)
		fts_close(f);
	if (b->items.n)
		qsort(b->items.v, b->items.n, sizeof *b->items.v, by_rel);
}

void
items_done(struct items *t)
{
	for (size_t k = 0; k < t->n; k++) {
		struct item *i = &t->v[k];

		/* one of the names is a part of the other */
		free(i->is_sum ? i->rel : i->path);
		free(i->made.what);
		buf_done(&i->inputs);
	}
	free(t->v);
}
