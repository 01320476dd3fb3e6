/* SPDX-License-Identifier: ISC */
#include "frames/when.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/intern.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "profile/pieces.h"
#include "text/trailer.h"
#include "frames/tree.h"

/* `CPU#N` */
static bool
is_cpu(const char *name, size_t len, uint32_t *cpu)
{
	uint64_t n;

	if (!bytes_starts(name, len, "CPU#") ||
	    num_u64(name + 4, len - 4, &n) != 0 || n > UINT32_MAX)
		return false;
	*cpu = (uint32_t)n;
	return true;
}

static const char *
name_of(const struct tree *t, uint32_t node, size_t *len)
{
	return intern_str(t->names, t->nodes[node].name, len);
}

/* Takes the pieces; false if there are none, or something else besides. */
static bool
find_pieces(struct when *w, const struct tree *t)
{
	size_t cap = 0, len;

	for (uint32_t i = 1; i < t->n; i = t->nodes[i].end) {
		const char *name = name_of(t, i, &len);
		uint64_t ns;

		if (bytes_is(name, len, "[unknown]"))
			continue;
		if (!pieces_is(name, len, &ns) ||
		    (w->n && ns <= w->at[w->n - 1]))
			return false;
		*xadd(w->at, w->n, cap) = ns;
	}
	return w->n > 0;
}

/* As the trailer says, else what the two nearest pieces are apart. */
static uint64_t
find_width(const struct when *w, const struct trailer *trailer)
{
	const char *said = trailer_get(trailer, "piece");
	uint64_t width = 0, ns;

	for (uint32_t i = 1; i < w->n; i++)
		if (width == 0 || w->at[i] - w->at[i - 1] < width)
			width = w->at[i] - w->at[i - 1];
	if (said && num_seconds(said, strlen(said), &ns) == 0 && ns > 0 &&
	    (width == 0 || ns <= width))
		return ns;
	return width ? width : 1000000000;
}

static int
compare_cpus(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* A row for each CPU, if there is nothing but CPUs below the pieces. */
static void
find_rows(struct when *w, const struct tree *t)
{
	uint32_t cpu[WHEN_ROWS_MAX], n = 0;

	w->n_rows = 1;
	for (uint32_t i = 1; i < t->n; i++) {
		size_t len;
		const char *name;
		uint32_t one, k = 0;

		if (t->nodes[i].depth != 2)
			continue;
		name = name_of(t, i, &len);
		if (!is_cpu(name, len, &one))
			return;
		while (k < n && cpu[k] != one)
			k++;
		if (k == WHEN_ROWS_MAX)
			return;
		cpu[k] = one;
		n = k == n ? n + 1 : n;
	}
	if (n == 0 || (uint64_t)n * w->n > WHEN_CELLS_MAX)
		return;
	qsort(cpu, n, sizeof *cpu, compare_cpus);
	w->n_rows = n;
	w->cpu = xreallocn(NULL, n, sizeof *cpu);
	memcpy(w->cpu, cpu, n * sizeof *cpu);
}

static uint32_t
row_of(const struct when *w, const struct tree *t, uint32_t node)
{
	uint32_t row = 0, cpu = 0;
	size_t len;
	const char *name = name_of(t, node, &len);

	is_cpu(name, len, &cpu);
	while (row + 1 < w->n_rows && w->cpu[row] != cpu)
		row++;
	return row;
}

/* What of a subtree is not below `halted`, a child of its root. */
static weight
busy_part(struct when *w, const struct tree *t, uint32_t node)
{
	weight busy = tree_total(t, node, 0);

	for (uint32_t i = node + 1; i < t->nodes[node].end;
	     i = t->nodes[i].end) {
		size_t len;
		const char *name = name_of(t, i, &len);

		if (bytes_is(name, len, "halted")) {
			busy -= tree_total(t, i, 0);
			w->knows_idle = true;
		}
	}
	return busy;
}

static void
fill_cells(struct when *w, const struct tree *t)
{
	size_t n = (size_t)w->n_rows * w->n, len;
	uint32_t piece = 0;
	uint64_t ns;

	w->all = xcalloc(n, sizeof *w->all);
	w->busy = xcalloc(n, sizeof *w->busy);
	for (uint32_t i = 1; i < t->n; i = t->nodes[i].end) {
		const char *name = name_of(t, i, &len);

		if (!pieces_is(name, len, &ns))
			continue;
		if (w->cpu == NULL) {
			w->all[piece] = tree_total(t, i, 0);
			w->busy[piece] = busy_part(w, t, i);
		} else {
			for (uint32_t c = i + 1; c < t->nodes[i].end;
			     c = t->nodes[c].end) {
				size_t at =
				    (size_t)row_of(w, t, c) * w->n + piece;

				w->all[at] += tree_total(t, c, 0);
				w->busy[at] += busy_part(w, t, c);
			}
		}
		piece++;
	}
	for (size_t i = 0; i < n; i++)
		if (w->all[i] > w->most)
			w->most = w->all[i];
}

double
when_busy(const struct when *w, uint32_t row, uint32_t piece)
{
	size_t at = (size_t)row * w->n + piece;

	if (w->all[at] == 0)
		return -1;
	return (double)w->busy[at] /
	       (double)(w->knows_idle ? w->all[at] : w->most);
}

/* Paths without their piece of time, in the order of first sight. */
struct path {
	uint32_t parent, name, size;
	weight total, self;
};

struct paths {
	struct intern *ids; /* of parent and name */
	struct path *v;
	size_t cap;
};

/* The number of a path, from 1; 0 is the root. */
static uint32_t
path_of(struct paths *p, uint32_t parent, const struct node *n)
{
	const uint32_t key[2] = {parent, n->name};
	uint32_t known = intern_count(p->ids);
	uint32_t id = intern_id(p->ids, (const char *)key, sizeof key);

	if (id == known)
		*xat(p->v, id, p->cap) =
		    (struct path){.parent = parent, .name = n->name};
	return id;
}

/* Path 0 stands for the root, and for the pieces. */
static void
find_paths(struct paths *p, const struct tree *t)
{
	uint32_t *open = xcalloc((size_t)t->depth_max + 2, sizeof *open);

	p->ids = intern_new();
	path_of(p, UINT32_MAX, &t->nodes[0]);
	p->v[0].total = tree_total(t, 0, 0);
	p->v[0].self = tree_self(t, 0, 0);
	for (uint32_t i = 1; i < t->n; i++) {
		const struct node *n = &t->nodes[i];
		uint32_t id =
		    n->depth == 1 ? 0 : path_of(p, open[n->depth - 1], n);

		open[n->depth] = id;
		p->v[id].self += tree_self(t, i, 0);
		if (n->depth > 1)
			p->v[id].total += tree_total(t, i, 0);
	}
	free(open);
}

/* Parents come before their children among the paths, but not next to them. */
static struct tree *
paths_tree(struct paths *p, struct intern *names)
{
	uint32_t n = intern_count(p->ids);
	uint32_t *next = xcalloc(n, sizeof *next);
	struct tree *t = xcalloc(1, sizeof *t);

	t->n = n;
	t->names = names;
	t->nodes = xcalloc(n, sizeof *t->nodes);
	for (uint32_t i = n; i-- > 1;)
		p->v[p->v[i].parent].size += ++p->v[i].size;
	p->v[0].size++;
	for (uint32_t i = 0, at = 0, depth = 0; i < n; i++) {
		const struct path *f = &p->v[i];

		if (i) {
			at = next[f->parent];
			next[f->parent] += f->size;
			depth = p->v[f->parent].name;
		}
		next[i] = at + 1;
		node_set(t->nodes, &t->more, n, at,
		    &(struct frame){.name = f->name,
			.depth = depth,
			.total = {f->total},
			.self = {f->self}});
		t->nodes[at].end = at + f->size;
		p->v[i].name = depth + 1; /* no longer needed: children's */
		if (depth > t->depth_max)
			t->depth_max = depth;
	}
	free(next);
	tree_sort(t);
	return t;
}

static void
take_failures(struct when *w, const struct failures *f)
{
	w->end = w->at[w->n - 1] + w->width;
	w->failed = xreallocn(NULL, f->n + 1, sizeof *w->failed);
	for (size_t i = 0; i < f->n; i++) {
		struct when_failure *one = &w->failed[w->n_failed];
		const char *piece = f->v[i].piece;

		if (!pieces_is(piece, strlen(piece), &one->at))
			continue;
		if (one->at < w->at[0])
			one->at = w->at[0];
		one->n = f->v[i].n;
		if (one->at + w->width > w->end)
			w->end = one->at + w->width;
		w->n_failed++;
	}
}

struct when *
when_new(const struct tree *t, const struct trailer *trailer,
    const struct failures *failures)
{
	struct when *w = xcalloc(1, sizeof *w);
	struct paths p = {0};

	if (!find_pieces(w, t)) {
		when_free(w);
		return NULL;
	}
	w->width = find_width(w, trailer);
	take_failures(w, failures);
	find_rows(w, t);
	fill_cells(w, t);
	find_paths(&p, t);
	w->merged = paths_tree(&p, t->names);
	intern_free(p.ids);
	free(p.v);
	return w;
}

void
when_free(struct when *w)
{
	if (w == NULL)
		return;
	if (w->merged) {
		w->merged->names = NULL; /* the other tree's */
		tree_free(w->merged);
	}
	free(w->at);
	free(w->cpu);
	free(w->all);
	free(w->busy);
	free(w->failed);
	free(w);
}
