/* SPDX-License-Identifier: ISC */
/*
 * --chart: what was open on a track, and for how long, one after the other. All
 * is kept until the end, since the lines of a track are together there.
 */
#include <stdlib.h>

#include "set/intern.h"
#include "io/out.h"
#include "base/xalloc.h"
#include "sinks.h"

void
chart_free(struct track_chart *c)
{
	if (c)
		free(c->v);
	free(c);
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
	c->v = xgrow(c->v, c->n + 1, &c->cap, sizeof *c->v);
	c->v[c->n++] = (struct part){node, to - from};
}

static void
put_stack(const struct span_tree *t, const struct name *text, uint32_t node,
    uint32_t *path)
{
	uint32_t n = 0;

	for (; node != TREE_ROOT; node = t->nodes[node].parent)
		path[n++] = node;
	while (n-- > 0) {
		const struct name *name = &text[t->nodes[path[n]].name];

		out_put(name->p, name->len);
		if (n)
			out_putc(';');
	}
}

static void
put_part(const struct span_tree *t, const struct name *text,
    const struct part *part, uint32_t *path)
{
	char digits[24];

	if (part->ns == 0)
		return;
	put_stack(t, text, part->node, path);
	out_putc(' ');
	out_put(digits, event_u64(digits, part->ns));
	out_putc('\n');
}

void
chart_print(const struct pair *p)
{
	struct intern *set = intern_new();
	uint32_t *same = xcalloc(p->n_names + 1, sizeof *same);
	struct name *text = fold_names(p, set, same);
	uint32_t *path = xcalloc(tree_depth(&p->tree) + 1, sizeof *path);
	uint64_t begin = UINT64_MAX;

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
			put_part(&p->tree, text, &gap, path);
		for (size_t k = 0; k < c->n; k++)
			put_part(&p->tree, text, &c->v[k], path);
	}
	free(path);
	free(text);
	free(same);
	intern_free(set);
}
