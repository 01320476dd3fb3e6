/* SPDX-License-Identifier: ISC */
/* Finds the captures. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "set/intern.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "batch.h"

/* An operand, and the folders in it that are still to be read. */
struct walk {
	struct batch *b;
	/* what the run writes: OUT, a sum, its picture, a log */
	struct stat own[4];
	size_t n_own;
	size_t above; /* bytes of a path before its output's name */
	struct words folders;
};

static bool
is_own(const struct walk *w, const struct stat *st)
{
	for (size_t i = 0; i < w->n_own; i++)
		if (w->own[i].st_dev == st->st_dev &&
		    w->own[i].st_ino == st->st_ino)
			return true;
	return false;
}

/* A capture. */
static void
add(const struct walk *w, const char *path, const struct stat *st)
{
	struct batch *b = w->b;
	struct item *i = xpush(b->items.v, b->items.n, b->items.cap);
	const char *output;

	*i = (struct item){.size = (uint64_t)st->st_size,
	    .mtime = (uint64_t)st->st_mtim.tv_sec * 1000000000u +
		     (uint64_t)st->st_mtim.tv_nsec,
	    .path = words_addf(&b->texts, "%s", path_absolute(b, path)),
	    .key = b->key};
	i->rel = strchr(i->path, 0) - strlen(path + w->above);
	output = item_output(b, i, ".folded");
	if (intern_id(b->outputs, output, strlen(output)) < b->items.n - 1)
		msg_die(EXIT_USAGE, "%s: another capture has the same output",
		    msg_str(path));
}

/* For the reason in errno: captures in that folder may be missing. */
static void
cannot_read(struct batch *b, const char *path, const char *folder)
{
	b->unreadable++;
	msg_errno("%s", msg_str(path));
	if (folder)
		folder = path_absolute(b, folder);
	if (folder)
		intern_id(b->lacking, folder, strlen(folder));
}

/* A name in a folder; links to folders are not followed. */
static void
found(struct walk *w, const char *folder, const char *name)
{
	const char *path = text_of("%s/%s", folder, name);
	struct stat st, at;

	if (lstat(path, &at) != 0 || stat(path, &st) != 0)
		/* a link to nothing, or already removed, lacks nothing */
		cannot_read(w->b, path,
		    errno == ENOENT || errno == ELOOP ? NULL : folder);
	else if (is_own(w, &st) || strncmp(name, ".kst-batch", 10) == 0)
		;
	else if (S_ISREG(st.st_mode))
		add(w, path, &st);
	else if (S_ISDIR(at.st_mode) &&
		 file_size(text_of("%s/.kst-batch/state", path)) == UINT64_MAX)
		words_add(&w->folders, path);
}

static void
read_folder(struct walk *w, const char *path)
{
	DIR *d = opendir(path);
	struct dirent *e;

	while (d && (errno = 0, e = readdir(d)))
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			found(w, path, e->d_name);
	if (errno)
		cannot_read(w->b, path, path);
	if (d)
		closedir(d);
}

static void
read_operand(struct walk *w, char *path)
{
	char *end = strchr(path, 0), *slash;
	struct stat st;

	while (end > path + 1 && end[-1] == '/')
		*--end = 0;
	slash = strrchr(path, '/');
	if (stat(path, &st) != 0) {
		cannot_read(w->b, path, path);
	} else if (is_own(w, &st)) {
		msg_die(EXIT_USAGE, "%s cannot be both read and written",
		    msg_str(path));
	} else if (S_ISREG(st.st_mode)) {
		w->above = slash ? (size_t)(slash + 1 - path) : 0;
		add(w, path, &st);
	} else if (S_ISDIR(st.st_mode)) {
		w->above = strlen(path) + 1;
		words_add(&w->folders, path);
	} else {
		w->b->unreadable++;
		msg("%s: not a regular file", msg_str(path));
	}
	while (w->folders.n > 0) {
		char *folder = w->folders.v[--w->folders.n];

		read_folder(w, folder);
		free(folder);
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
		       merge ? path_picture(merge) : NULL};
	struct walk w = {.b = b};

	b->outputs = intern_new();
	b->lacking = intern_new();
	for (size_t k = 0; k < sizeof writes / sizeof *writes; k++)
		w.n_own += writes[k] && stat(writes[k], &w.own[w.n_own]) == 0;
	for (; *operands; operands++)
		read_operand(&w, *operands);
	words_done(&w.folders);
	if (b->items.n)
		qsort(b->items.v, b->items.n, sizeof *b->items.v, by_rel);
}
