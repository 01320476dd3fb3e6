/* SPDX-License-Identifier: ISC */
/* Finding the captures: the only file that walks folders. */
#include "items.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/xalloc.h"

/* What a run writes itself: its folder, a sum and its picture, a log. */
enum { OWN_MAX = 4 };

struct walk {
	struct items *t;
	struct {
		dev_t dev;
		ino_t ino;
	} own[OWN_MAX]; /* what is no capture */
	size_t n_own;
	struct buf path;
	size_t root_len; /* of path: what comes before rel */
};

/* Folders below each other; deeper ones are reported. */
enum { DEPTH_MAX = 200 };

static void
cannot(struct items *t, const char *path)
{
	int e = errno;

	t->unreadable++;
	errno = e;
	msg_errno("%s", msg_str(path));
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

static bool
is_own(const struct walk *w, const struct stat *st)
{
	for (size_t i = 0; i < w->n_own; i++)
		if (w->own[i].dev == st->st_dev && w->own[i].ino == st->st_ino)
			return true;
	return false;
}

static void walk_dir(struct walk *w, int parent, const char *name, int depth);

static void
walk_entry(struct walk *w, DIR *d, const struct dirent *e, int depth)
{
	size_t len = w->path.len;
	struct stat st;

	if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0 ||
	    strncmp(e->d_name, ".kst-batch", 10) == 0)
		return;
	buf_addc(&w->path, '/');
	buf_adds(&w->path, e->d_name);
	buf_str(&w->path);
	if (e->d_type == DT_DIR)
		walk_dir(w, dirfd(d), e->d_name, depth + 1);
	else if (fstatat(dirfd(d), e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		cannot(w->t, w->path.p);
	else if (S_ISDIR(st.st_mode))
		walk_dir(w, dirfd(d), e->d_name, depth + 1);
	else if (S_ISLNK(st.st_mode) &&
		 fstatat(dirfd(d), e->d_name, &st, 0) != 0)
		cannot(w->t, w->path.p);
	else if (S_ISREG(st.st_mode) && !is_own(w, &st))
		add(w->t, w->path.p, w->root_len + 1, &st);
	w->path.len = len;
	buf_str(&w->path);
}

/* Another run's folder of results; as an operand it is meant. */
static bool
has_results(int fd)
{
	return faccessat(fd, ".kst-batch/state", F_OK, 0) == 0;
}

static void
walk_dir(struct walk *w, int parent, const char *name, int depth)
{
	int fd = openat(parent, name,
	    O_RDONLY | O_DIRECTORY | O_CLOEXEC | (depth ? O_NOFOLLOW : 0));
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *e;
	struct stat st;

	if (d == NULL) {
		cannot(w->t, buf_str(&w->path));
		if (fd >= 0)
			close(fd);
		return;
	}
	if (depth > DEPTH_MAX) {
		errno = ELOOP;
		cannot(w->t, buf_str(&w->path));
	} else if (fstat(fd, &st) == 0 && !is_own(w, &st) &&
		   (depth == 0 || !has_results(fd))) {
		errno = 0;
		while ((e = readdir(d))) {
			walk_entry(w, d, e, depth);
			errno = 0;
		}
		if (errno)
			cannot(w->t, buf_str(&w->path));
	}
	closedir(d);
}

static int
by_rel(const void *a, const void *b)
{
	const struct item *x = a, *y = b;
	int c = strcmp(x->rel, y->rel);

	return c ? c : strcmp(x->path, y->path);
}

static void
find_operand(struct walk *w, const char *cwd, const char *p)
{
	const char *slash;
	size_t len = strlen(p);
	struct stat st;

	if (stat(p, &st) != 0) {
		cannot(w->t, p);
		return;
	}
	if (is_own(w, &st))
		msg_die(EXIT_USAGE, "%s is to be written, and no capture",
		    msg_text(p, len));
	w->path.len = 0;
	if (*p != '/')
		buf_printf(&w->path, "%s/", cwd);
	if (S_ISDIR(st.st_mode)) {
		while (len > 1 && p[len - 1] == '/')
			len--;
		buf_add(&w->path, p, len);
		w->root_len = w->path.len;
		walk_dir(w, AT_FDCWD, p, 0);
	} else if (S_ISREG(st.st_mode)) {
		buf_adds(&w->path, p);
		slash = strrchr(buf_str(&w->path), '/');
		add(w->t, w->path.p, (size_t)(slash + 1 - w->path.p), &st);
	} else {
		w->t->unreadable++;
		msg("%s: no regular file", msg_text(p, len));
	}
}

void
items_find(struct items *t, char **operands, int n, const char *const *own)
{
	struct walk w = {.t = t, .path = BUF_INIT};
	char *cwd = getcwd(NULL, 0);
	struct stat st;

	for (; *own && w.n_own < OWN_MAX; own++) {
		if (stat(*own, &st) != 0)
			continue;
		w.own[w.n_own].dev = st.st_dev;
		w.own[w.n_own++].ino = st.st_ino;
	}
	for (int i = 0; i < n; i++)
		find_operand(&w, cwd ? cwd : ".", operands[i]);
	free(cwd);
	buf_done(&w.path);
	if (t->n)
		qsort(t->v, t->n, sizeof *t->v, by_rel);
}

void
items_check(const struct items *t)
{
	for (size_t i = 1; i < t->n; i++) {
		const struct item *a = &t->v[i - 1], *b = &t->v[i];

		if (strcmp(a->rel, b->rel) == 0)
			msg_die(EXIT_USAGE,
			    "%s and %s would have the same output",
			    msg_str(a->path), msg_str(b->path));
	}
}

void
items_done(struct items *t)
{
	for (size_t i = 0; i < t->n; i++) {
		free(t->v[i].path);
		free(t->v[i].rec.messages);
	}
	free(t->v);
}
