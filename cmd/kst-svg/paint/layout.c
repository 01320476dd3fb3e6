/* SPDX-License-Identifier: ISC */
#include "paint/paint.h"

#include "frames/tree.h"
#include "base/xalloc.h"

static double
width_of(const struct picture *p, uint32_t i)
{
	if (p->t->more == NULL) /* converting 128 bits is slow */
		return (double)p->t->nodes[i].total * (double)WEIGHT_ONE;
	return (double)tree_total(p->t, i, 0) * p->ratio +
	       (double)tree_total(p->t, i, 1);
}

double
layout_width(const struct picture *p, uint32_t i)
{
	if (p->width)
		return p->width[i] / p->span;
	return p->tracks && i == 0 ? 1 : width_of(p, i) / p->span;
}

uint32_t
layout_row(const struct picture *p, uint32_t i)
{
	return p->row ? p->row[i] : p->t->nodes[i].depth;
}

/* The longest track. */
static double
find_span(const struct picture *p)
{
	double span = 0;

	for (uint32_t i = 1; i < p->t->n; i = p->t->nodes[i].end) {
		double w = width_of(p, i);

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
place(struct picture *p)
{
	const struct tree *t = p->t;
	weight begin = 0;
	uint32_t base = 0;

	for (uint32_t i = 0; i < t->n; i++) {
		const struct node *n = &t->nodes[i];
		double x = p->x[i];

		if (p->tracks && n->depth == 1) {
			begin = tree_at(t, i);
			base = p->row_max;
		}
		if (base + n->depth > p->row_max)
			p->row_max = base + n->depth;
		if (p->tracks)
			p->row[i] = base + n->depth;
		for (uint32_t c = i + 1; c < n->end; c = t->nodes[c].end) {
			if (p->tracks && i == 0)
				x = 0;
			else if (p->o->flamechart)
				x = (double)(tree_at(t, c) - begin) / p->span;
			p->x[c] = x;
			x += layout_width(p, c);
		}
	}
}

void
layout_find(struct picture *p)
{
	const struct tree *t = p->t;
	const weight total[2] = {tree_total(t, 0, 0), tree_total(t, 0, 1)};
	const double asked = (double)weight_of(&p->o->total);

	p->ratio = 1;
	p->x = xcalloc(t->n, sizeof *p->x);
	if (p->tracks)
		p->row = xcalloc(t->n, sizeof *p->row);
	if (p->o->normalize && total[0] && total[1])
		p->ratio = (double)total[1] / (double)total[0];
	p->scale = width_of(p, 0);
	if (asked > p->scale)
		p->scale = asked;
	if (p->scale <= 0)
		p->scale = 1;
	idle_narrow(p);
	p->span = p->tracks ? find_span(p) : p->width ? p->width[0] : p->scale;
	place(p);
}
