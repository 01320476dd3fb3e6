/* SPDX-License-Identifier: ISC */
#include "frames/sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "set/intern.h"

void
sums_free(struct sums *s)
{
	if (s == NULL)
		return;
	intern_free(s->names);
	free(s->numbers);
	free(s->v);
	free(s);
}

void
sums_open(struct sums *s, struct open *o)
{
	struct sum *sum = xitem_zeroed(s->v, o->f.name, s->cap);

	o->is_outer = !sum->is_open;
	sum->is_open = true;
}

void
sums_close(struct sums *s, const struct open *o)
{
	if (o->is_outer)
		s->v[o->f.name].is_open = false;
}

static void
add(struct sums *s, const struct open *o, bool reverse)
{
	struct sum *sum = &s->v[o->f.name];

	for (int k = 0; k < 2 && o->is_outer; k++)
		sum->total[k] += o->f.total[k];
	if (!reverse)
		sum->self += o->f.self[0];
	else if (o->f.depth == 1)
		sum->self += o->f.total[0];
}

void
sums_end(struct sums *s, const struct open *o, bool reverse)
{
	add(s, o, reverse);
	sums_close(s, o);
}

void
sums_add_tree(struct sums *s, const struct tree *t, const struct open *open,
    size_t n_open, bool reverse)
{
	size_t n = n_open > t->depth_max ? n_open : t->depth_max;
	struct open *path = xcalloc(n + 1, sizeof *path);

	for (n = 0; n < n_open; n++) {
		path[n] = open[n];
		sums_open(s, &path[n]);
	}
	for (uint32_t i = t->n; i-- > 1;) { /* callers before callees */
		const struct node *node = &t->nodes[i];
		struct open *o = &path[node->depth - 1];

		while (n >= node->depth)
			sums_close(s, &path[--n]);
		*o = (struct open){
		    .f = {.name = node->name, .depth = node->depth}};
		for (int k = 0; k < 2; k++) {
			o->f.total[k] = tree_total(t, i, k);
			o->f.self[k] = tree_self(t, i, k);
		}
		sums_open(s, o);
		add(s, o, reverse);
		n++;
	}
	while (n > 0)
		sums_close(s, &path[--n]);
	free(path);
}

void
sums_mark(struct sums *s, struct open *open, size_t n_open, struct open *held,
    size_t n_held)
{
	size_t k = 0;

	for (size_t i = 0; i <= n_open; i++) {
		for (; k < n_held && held[k].f.depth <= i + 1; k++) {
			sums_open(s, &held[k]);
			sums_close(s, &held[k]);
		}
		if (i < n_open)
			sums_open(s, &open[i]);
	}
}
