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

/* Rows are depths, but that each track stands on the last one's highest row. */
static void
find_rows(struct layout *l, const struct tree *t, bool tracks)
{
	uint32_t base = 0;

	l->row = NULL;
	l->row_max = t->depth_max;
	if (!tracks)
		return;
	l->row = xcalloc(t->n, sizeof *l->row);
	l->row_max = 0;
	for (uint32_t i = 1; i < t->n; i++) {
		if (t->nodes[i].depth == 1)
			base = l->row_max;
		l->row[i] = base + t->nodes[i].depth;
		if (l->row[i] > l->row_max)
			l->row_max = l->row[i];
	}
}

static void
find_span(struct layout *l, const struct tree *t)
{
	l->span = 0;
	for (uint32_t i = 1; i < t->n; i = t->nodes[i].end) {
		double w = width_of(l, t, i);

		if (w > l->span)
			l->span = w;
	}
	if (l->span <= 0)
		l->span = 1;
}

/* Children from their parent's left edge on, in a chart where they began. */
static void
place(struct layout *l, const struct tree *t, bool chart, bool tracks)
{
	weight begin = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		double x = l->x[i];

		for (uint32_t c = i + 1; c < t->nodes[i].end;
		     c = t->nodes[c].end) {
			if (tracks && i == 0)
				x = 0;
			else if (chart)
				x = (double)(tree_at(t, c) - begin) / l->span;
			l->x[c] = x;
			x += layout_width(l, t, c);
		}
		if (tracks && i + 1 < t->n && t->nodes[i + 1].depth == 1)
			begin = tree_at(t, i + 1);
	}
}

void
layout_init(struct layout *l, const struct tree *t, const struct svg_opts *o,
    bool tracks)
{
	const weight total[2] = {tree_total(t, 0, 0), tree_total(t, 0, 1)};

	l->tracks = tracks;
	l->x = xcalloc(t->n, sizeof *l->x);
	l->ratio = 1;
	if (o->normalize && total[0] && total[1])
		l->ratio = (double)total[1] / (double)total[0];
	l->scale = width_of(l, t, 0);
	if ((double)o->total > l->scale)
		l->scale = (double)o->total;
	if (l->scale <= 0)
		l->scale = 1;
	l->span = l->scale;
	if (tracks)
		find_span(l, t);
	find_rows(l, t, tracks);
	place(l, t, o->flamechart, tracks);
}

void
layout_done(struct layout *l)
{
	free(l->x);
	free(l->row);
}
