/* SPDX-License-Identifier: ISC */
/*
 * --chart: what was open on a track, and for how long, one after the other. All
 * is kept until the end, since the lines of a track are together there.
 */
#include "chart.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "io/out.h"
#include "set/intern.h"
#include "span.h"

void
chart_done(const struct pair *p)
{
	for (uint32_t i = 0; i < p->n_tracks; i++) {
		if (p->tracks[i].chart)
			free(p->tracks[i].chart->v);
		free(p->tracks[i].chart);
	}
}

void
chart_time(struct track *t, uint32_t node, uint64_t from, uint64_t to)
{
	struct track_chart *c = t->chart;

	if (c == NULL) {
		t->chart = c = xcalloc(1, sizeof *c);
		c->first = from;
	}
	if (to <= from)
		return;
	if (c->n && c->v[c->n - 1].node == node) {
		c->v[c->n - 1].ns += to - from;
		return;
	}
	*xpush(c->v, c->n, c->cap) = (struct part){node, to - from};
}

struct writer {
	const struct span_tree *tree;
	struct intern *names; /* as in folded text */
	uint32_t *ids;
	uint32_t path[PAIR_DEPTH_MAX + 1];
};

static void
put_part(struct writer *w, const struct part *part)
{
	const struct span_node *nodes = w->tree->nodes;
	char digits[24];
	size_t n = 0, len;

	if (part->ns == 0)
		return;
	for (uint32_t i = part->node; i != TREE_ROOT; i = nodes[i].parent)
		w->path[n++] = w->ids[nodes[i].name];
	while (n-- > 0) {
		const char *name = intern_str(w->names, w->path[n], &len);

		out_put(name, len);
		out_putc(n ? ';' : ' ');
	}
	out_put(digits, event_u64(digits, part->ns));
	out_putc('\n');
}

void
chart_print(const struct pair *p)
{
	struct writer w = {.tree = &p->tree, .names = intern_new()};
	uint64_t begin = UINT64_MAX;

	w.ids = fold_names(p, w.names);
	for (size_t i = 0; i < p->n_tracks; i++) {
		const struct track_chart *c = p->tracks[i].chart;

		if (c && c->first < begin)
			begin = c->first;
	}
	for (size_t i = 0; i < p->n_tracks; i++) {
		const struct track_chart *c = p->tracks[i].chart;
		struct part gap = {p->tracks[i].root, 0};

		/* what follows the last span is not known to be anything */
		if (!c || c->n == 0 || (c->n == 1 && c->v[0].node == gap.node))
			continue;
		gap.ns = c->first - begin;
		if (c->v[0].node == gap.node)
			c->v[0].ns += gap.ns;
		else
			put_part(&w, &gap);
		for (size_t k = 0; k < c->n; k++)
			put_part(&w, &c->v[k]);
	}
	free(w.ids);
	intern_free(w.names);
}
