/* SPDX-License-Identifier: ISC */
#include "source/groups.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/port.h"
#include "base/xalloc.h"
#include "colour/colour.h"
#include "set/hash.h"
#include "set/intern.h"

/* A folder's path ends with its slash; all of the files are in "". */
struct group {
	const char *path;
	size_t len;
	double weight;
	unsigned slot; /* its colour, or NO_SLOT */
};

struct groups {
	const struct intern *files;
	double *weight;	  /* of each file */
	uint32_t *sorted; /* their numbers by path */
	double all;
	struct group *v;
	size_t n, cap;
	size_t begin; /* what all paths begin with */
};

enum { NO_SLOT = COLOUR_SOURCES, SPLITS_MAX = 64 };

/* A folder with more of the weight than this is split. */
static const double SPLIT = 0.3;

struct groups *
groups_new(const struct intern *files)
{
	struct groups *g = xcalloc(1, sizeof *g);

	g->files = files;
	g->weight = xcalloc(intern_count(files) + 1, sizeof *g->weight);
	return g;
}

void
groups_free(struct groups *g)
{
	free(g->weight);
	free(g->sorted);
	free(g->v);
	free(g);
}

void
groups_add(struct groups *g, uint32_t file, double weight)
{
	g->weight[file] += weight;
	g->all += weight;
}

static bool
has(const struct group *g, const char *path, size_t len)
{
	return g->len == len
		   ? memcmp(g->path, path, len) == 0
		   : g->len < len &&
			 (g->len == 0 || g->path[g->len - 1] == '/') &&
			 memcmp(g->path, path, g->len) == 0;
}

static struct group *
group_of(const struct groups *g, const char *path, size_t len)
{
	for (size_t i = 0; i < g->n; i++)
		if (has(&g->v[i], path, len))
			return &g->v[i];
	return NULL;
}

static bool
is_folder(const struct group *g)
{
	return g->len == 0 || g->path[g->len - 1] == '/';
}

static int
by_path(const void *va, const void *vb, void *ctx)
{
	const struct intern *files = ctx;
	size_t a_len, b_len;
	const char *a = intern_str(files, *(const uint32_t *)va, &a_len);
	const char *b = intern_str(files, *(const uint32_t *)vb, &b_len);
	int c = memcmp(a, b, a_len < b_len ? a_len : b_len);

	return c ? c : (a_len > b_len) - (a_len < b_len);
}

/* Puts what is in a folder into its place: equal parts follow each other. */
static void
split(struct groups *g, size_t at)
{
	const struct group folder = g->v[at];
	struct group *to = NULL;

	g->v[at] = g->v[--g->n];
	for (uint32_t k = 0; k < intern_count(g->files); k++) {
		const uint32_t i = g->sorted[k];
		size_t len;
		const char *path = intern_str(g->files, i, &len), *slash;

		if (g->weight[i] <= 0 || !has(&folder, path, len))
			continue;
		slash = memchr(path + folder.len, '/', len - folder.len);
		len = slash ? (size_t)(slash + 1 - path) : len;
		if (to == NULL || to->len != len ||
		    memcmp(to->path, path, len) != 0) {
			to = xpush(g->v, g->n, g->cap);
			*to = (struct group){
			    .path = path, .len = len, .slot = NO_SLOT};
		}
		to->weight += g->weight[i];
	}
}

static int
heavier_first(const void *va, const void *vb)
{
	const struct group *a = va, *b = vb;
	size_t len = a->len < b->len ? a->len : b->len;
	int c;

	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	c = memcmp(a->path, b->path, len);
	return c ? c : (a->len > b->len) - (a->len < b->len);
}

/* The folder that all groups are in: names need not repeat it. */
static void
find_begin(struct groups *g)
{
	const struct group *first = g->v;

	g->begin = 0;
	for (size_t n = 1; n < first->len; n++) {
		if (first->path[n - 1] != '/')
			continue;
		for (size_t i = 0; i < g->n; i++)
			if (g->v[i].len <= n ||
			    memcmp(g->v[i].path, first->path, n) != 0)
				return;
		g->begin = n;
	}
}

/* A group keeps its colour where others come and go, if it can. */
static void
give_slots(struct groups *g, struct colours *c)
{
	bool used[COLOUR_SOURCES] = {false};

	for (size_t i = 0; i < g->n && i < COLOUR_SOURCES; i++) {
		struct group *it = &g->v[i];
		const char *path = it->path + g->begin;
		size_t len = it->len - g->begin;

		it->slot =
		    (unsigned)(hash_fixed(path, len) >> 32) % COLOUR_SOURCES;
		while (used[it->slot])
			it->slot = (it->slot + 1) % COLOUR_SOURCES;
		used[it->slot] = true;
		if (len > 1 && path[len - 1] == '/')
			len--;
		colour_source(c, it->slot, path, len);
	}
}

void
groups_end(struct groups *g, struct colours *c)
{
	const uint32_t n = intern_count(g->files);

	if (n == 0)
		return;
	g->sorted = xreallocn(NULL, n, sizeof *g->sorted);
	for (uint32_t i = 0; i < n; i++)
		g->sorted[i] = i;
	port_sort(g->sorted, n, sizeof *g->sorted, by_path,
	    (void *)(uintptr_t)g->files);
	*xpush(g->v, g->n, g->cap) =
	    (struct group){.path = "", .weight = g->all, .slot = NO_SLOT};
	for (int i = 0; i < SPLITS_MAX && g->n > 0; i++) {
		size_t most = 0;

		qsort(g->v, g->n, sizeof *g->v, heavier_first);
		while (most < g->n && !is_folder(&g->v[most]))
			most++;
		if (most == g->n || g->v[most].weight < SPLIT * g->all)
			break;
		split(g, most);
	}
	if (g->n == 0)
		return;
	qsort(g->v, g->n, sizeof *g->v, heavier_first);
	find_begin(g);
	give_slots(g, c);
	if (g->n > COLOUR_SOURCES)
		g->n = COLOUR_SOURCES;
}

void
groups_name(const struct groups *g, uint32_t file, struct colours *c,
    const char *name, size_t len)
{
	size_t path_len;
	const char *path = intern_str(g->files, file, &path_len);
	const struct group *of = group_of(g, path, path_len);

	if (of && of->slot != NO_SLOT)
		colour_source_name(c, of->slot, name, len);
}
