/* SPDX-License-Identifier: ISC */
/* Finds the captures. */
#include <errno.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/msg.h"
#include "base/xalloc.h"
#include "batch.h"

/* What the run writes: its folder, a sum and its picture, a log. */
enum { OWN_MAX = 4 };

struct own {
	struct {
		dev_t dev;
		ino_t ino;
	} v[OWN_MAX];
	size_t n;
};

static void
cannot(struct items *t, const char *path, int err)
{
	const char *name = msg_str(path);

	t->unreadable++;
	errno = err;
	msg_errno("%s", name);
}

static void
own_add(struct own *own, const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return;
	own->v[own->n].dev = st.st_dev;
	own->v[own->n++].ino = st.st_ino;
}

static bool
is_own(const struct own *own, const struct stat *st)
{
	for (size_t i = 0; i < own->n; i++)
		if (own->v[i].dev == st->st_dev && own->v[i].ino == st->st_ino)
			return true;
	return false;
}

static void
add(struct items *t, const char *path, size_t rel_at, const struct stat *st)
{
	struct item *i;

	t->v = xgrow(t->v, t->n + 1, &t->cap, sizeof *t->v);
	i = &t->v[t->n++];
	memset(i, 0, sizeof *i);
	i->path = xstrdup(path);
	i->rel = i->path + rel_at;
	i->size = (uint64_t)st->st_size;
	i->mtime = (uint64_t)st->st_mtim.tv_sec * 1000000000u +
		   (uint64_t)st->st_mtim.tv_nsec;
}

/* Whether another run keeps its results there. */
static bool
has_results(const char *path)
{
	struct buf b = BUF_INIT;
	struct stat st;
	bool has;

	buf_printf(&b, "%s/.kst-batch/state", path);
	has = stat(buf_str(&b), &st) == 0;
	buf_done(&b);
	return has;
}

/* An entry of a folder; returns whether to skip what is below it. */
static bool
visit(struct items *t, const struct own *own, const FTSENT *e, size_t rel_at)
{
	struct stat st = {0};

	switch (e->fts_info) {
	case FTS_D:
		return is_own(own, e->fts_statp) ||
		       (e->fts_level > 0 &&
			   (strncmp(e->fts_name, ".kst-batch", 10) == 0 ||
			       has_results(e->fts_path)));
	case FTS_DNR:
	case FTS_ERR:
	case FTS_NS:
		cannot(t, e->fts_path, e->fts_errno);
		return false;
	case FTS_F:
	case FTS_SL:
	case FTS_SLNONE:
		break;
	default:
		return false;
	}
	if (strncmp(e->fts_name, ".kst-batch", 10) == 0)
		return false;
	if (stat(e->fts_path, &st) != 0)
		cannot(t, e->fts_path, errno);
	else if (S_ISREG(st.st_mode) && !is_own(own, &st))
		add(t, e->fts_path, rel_at, &st);
	return false;
}

static void
walk(struct items *t, const struct own *own, char *root)
{
	char *roots[] = {root, NULL};
	FTS *f =
	    fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW | FTS_NOCHDIR, NULL);
	size_t len = strlen(root);
	FTSENT *e;

	errno = 0;
	while (f && (e = fts_read(f))) {
		/* a root of / has its slash already */
		if (visit(t, own, e, len + (root[len - 1] != '/')))
			fts_set(f, e, FTS_SKIP);
		errno = 0;
	}
	if (errno)
		cannot(t, root, errno);
	if (f)
		fts_close(f);
}

static void
find_operand(struct batch *b, const struct own *own, const char *p)
{
	size_t len = strlen(p);
	struct buf path = BUF_INIT;
	struct stat st;

	if (stat(p, &st) != 0) {
		cannot(&b->items, p, errno);
		return;
	}
	if (is_own(own, &st))
		msg_die(EXIT_USAGE, "%s would be written, not read",
		    msg_text(p, len));
	while (len > 1 && p[len - 1] == '/')
		len--;
	if (*p != '/')
		buf_printf(&path, "%s/", b->cwd);
	buf_add(&path, p, len);
	if (S_ISDIR(st.st_mode)) {
		walk(&b->items, own, buf_str(&path));
	} else if (S_ISREG(st.st_mode)) {
		const char *slash = strrchr(buf_str(&path), '/');

		add(&b->items, path.p, (size_t)(slash + 1 - path.p), &st);
	} else {
		b->items.unreadable++;
		msg("%s: not a regular file", msg_text(p, len));
	}
	buf_done(&path);
}

static int
by_rel(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int c = strcmp(x->rel, y->rel);

	return c ? c : strcmp(x->path, y->path);
}

void
items_find(struct batch *b, char **operands)
{
	struct items *t = &b->items;
	struct buf svg = BUF_INIT;
	struct own own = {.n = 0};

	own_add(&own, b->out);
	if (b->o->merge) {
		own_add(&own, b->o->merge);
		sums_svg_name(&svg, b->o->merge);
		own_add(&own, buf_str(&svg));
	}
	if (b->o->joblog)
		own_add(&own, b->o->joblog);
	for (; *operands; operands++)
		find_operand(b, &own, *operands);
	buf_done(&svg);
	if (t->n)
		qsort(t->v, t->n, sizeof *t->v, by_rel);
	for (size_t i = 1; i < t->n; i++)
		if (strcmp(t->v[i - 1].rel, t->v[i].rel) == 0)
			msg_die(EXIT_USAGE,
			    "%s and %s would have the same output",
			    msg_str(t->v[i - 1].path), msg_str(t->v[i].path));
}

void
items_done(struct items *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->v[i].path);
		free(t->v[i].made.rec.what);
	}
	free(t->v);
}
