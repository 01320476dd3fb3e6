/* SPDX-License-Identifier: ISC */
#include "layout.h"

#include <stdlib.h>

#include "tree.h"
#include "base/xalloc.h"

static double
width_of(const struct layout *l, const weight w[2])
{
	return (double)w[0] * l->ratio + (double)w[1];
}

void
layout_init(struct layout *l, const struct tree *t, const struct svg_opts *o)
{
	const struct node *root = &t->nodes[0];

	l->x = xcalloc(t->n, sizeof *l->x);
	l->w = xcalloc(t->n, sizeof *l->w);
	l->ratio = 1;
	if (o->normalize && root->total[0] && root->total[1])
		l->ratio = (double)root->total[1] / (double)root->total[0];
	l->scale = width_of(l, root->total);
	if ((double)o->total > l->scale)
		l->scale = (double)o->total;
	if (l->scale <= 0)
		l->scale = 1;
	l->w[0] = width_of(l, root->total) / l->scale;
	for (uint32_t i = 0; i < t->n; i++) {
		double x = l->x[i];

		for (uint32_t c = i + 1; c < t->nodes[i].end;
		     c = t->nodes[c].end) {
			l->w[c] = width_of(l, t->nodes[c].total) / l->scale;
			if (o->flamechart)
				x = (double)t->nodes[c].at / l->scale;
			l->x[c] = x;
			x += l->w[c];
		}
	}
}

void
layout_done(struct layout *l)
{
	free(l->x);
	free(l->w);
}
