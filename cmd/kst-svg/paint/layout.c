/* SPDX-License-Identifier: ISC */
#include "paint/picture.h"

#include <stdlib.h>

#include "frames/tree.h"
#include "base/xalloc.h"

static double
width_of(const struct layout *l, const struct tree *t, uint32_t i)
{
	if (t->more == NULL) /* converting 128 bits is slow */
		return (double)t->nodes[i].total * (double)WEIGHT_ONE;
	return (double)tree_total(t, i, 0) * l->ratio +
	       (double)tree_total(t, i, 1);
}

double
layout_width(const struct layout *l, const struct tree *t, uint32_t i)
{
	return l->tracks && i == 0 ? 1 : width_of(l, t, i) / l->span;
}

uint32_t
layout_row(const struct layout *l, const struct tree *t, uint32_t i)
{
	return l->row ? l->row[i] : t->nodes[i].depth;
}

/* The longest track. */
static double
find_span(const struct layout *l, const struct tree *t)
{
	double span = 0;

	for (uint32_t i = 1; i < t->n; i = t->nodes[i].end) {
		double w = width_of(l, t, i);

		span = w > span ? w : span;
	}
	return span > 0 ? span : 1;
}

/*
 * Children from their parent's left edge on, in a chart where they began, from
 * their track's beginning. Rows are depths, but that each track stands on the
 * last one's highest row.
 */
static void
place(struct layout *l, const struct tree *t, bool chart)
{
	weight begin = 0;
	uint32_t base = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		const struct node *n = &t->nodes[i];
		double x = l->x[i];

		if (l->tracks && n->depth == 1) {
			begin = tree_at(t, i);
			base = l->row_max;
		}
		if (base + n->depth > l->row_max)
			l->row_max = base + n->depth;
		if (l->tracks)
			l->row[i] = base + n->depth;
		for (uint32_t c = i + 1; c < n->end; c = t->nodes[c].end) {
			if (l->tracks && i == 0)
				x = 0;
			else if (chart)
				x = (double)(tree_at(t, c) - begin) / l->span;
			l->x[c] = x;
			x += layout_width(l, t, c);
		}
	}
}

void
layout_init(struct layout *l, const struct tree *t, const struct svg_opts *o,
    bool tracks)
{
	const weight total[2] = {tree_total(t, 0, 0), tree_total(t, 0, 1)};
	const double asked = (double)weight_of(&o->total);

	*l = (struct layout){.tracks = tracks, .ratio = 1};
	l->x = xcalloc(t->n, sizeof *l->x);
	if (tracks)
		l->row = xcalloc(t->n, sizeof *l->row);
	if (o->normalize && total[0] && total[1])
		l->ratio = (double)total[1] / (double)total[0];
	l->scale = width_of(l, t, 0);
	if (asked > l->scale)
		l->scale = asked;
	if (l->scale <= 0)
		l->scale = 1;
	l->span = tracks ? find_span(l, t) : l->scale;
	place(l, t, o->flamechart);
}

void
layout_done(struct layout *l)
{
	free(l->x);
	free(l->row);
}
