/* SPDX-License-Identifier: ISC */
/*
 * --chart: what was open on a track, and for how long, one after the other. All
 * is kept until the end, since the lines of a track are together there.
 */
#include <stdlib.h>

#include "base/intern.h"
#include "base/out.h"
#include "base/xalloc.h"
#include "sinks.h"

struct part {
	uint32_t node; /* the innermost that is open; the track's: none */
	uint64_t ns;
};

struct row {
	bool any;
	uint64_t first; /* time */
	struct part *v;
	size_t n, cap;
};

struct chart {
	struct row *rows; /* by track */
	size_t n, cap;
};

struct chart *
chart_new(void)
{
	return xcalloc(1, sizeof(struct chart));
}

void
chart_free(struct chart *c)
{
	if (c == NULL)
		return;
	for (size_t i = 0; i < c->n; i++)
		free(c->rows[i].v);
	free(c->rows);
	free(c);
}

void
chart_time(
    struct chart *c, uint32_t track, uint32_t node, uint64_t from, uint64_t to)
{
	struct row *r;

	for (; c->n <= track; c->n++) {
		c->rows = xgrow(c->rows, c->n + 1, &c->cap, sizeof *c->rows);
		c->rows[c->n] = (struct row){0};
	}
	r = &c->rows[track];
	if (!r->any) {
		r->any = true;
		r->first = from;
	}
	if (to <= from)
		return;
	if (r->n && r->v[r->n - 1].node == node) {
		r->v[r->n - 1].ns += to - from;
		return;
	}
	r->v = xgrow(r->v, r->n + 1, &r->cap, sizeof *r->v);
	r->v[r->n++] = (struct part){node, to - from};
}

static void
put_stack(
    const struct tree *t, const struct str *text, uint32_t node, uint32_t *path)
{
	uint32_t n = 0;

	for (; node != TREE_ROOT; node = t->nodes[node].parent)
		path[n++] = node;
	while (n-- > 0) {
		const struct str *name = &text[t->nodes[path[n]].name];

		out_put(name->p, name->len);
		if (n)
			out_putc(';');
	}
}

static void
put_part(const struct tree *t, const struct str *text, const struct part *part,
    uint32_t *path)
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
chart_print(const struct chart *c, const struct pair *p)
{
	struct intern *set = intern_new();
	uint32_t *same = xcalloc(p->n_names + 1, sizeof *same);
	struct str *text = fold_names(p, set, same);
	uint32_t *path = xcalloc(tree_depth(&p->tree) + 1, sizeof *path);
	uint64_t begin = UINT64_MAX;

	for (size_t i = 0; i < c->n; i++)
		if (c->rows[i].any && c->rows[i].first < begin)
			begin = c->rows[i].first;
	for (size_t i = 0; i < c->n; i++) {
		const struct row *r = &c->rows[i];
		struct part gap = {p->tracks[i].root, 0};

		/* what follows the last span is not known to be anything */
		if (r->n == 0 || (r->n == 1 && r->v[0].node == gap.node))
			continue;
		gap.ns = r->first - begin;
		if (r->v[0].node == gap.node)
			r->v[0].ns += gap.ns;
		else
			put_part(&p->tree, text, &gap, path);
		for (size_t k = 0; k < r->n; k++)
			put_part(&p->tree, text, &r->v[k], path);
	}
	free(path);
	free(text);
	free(same);
	intern_free(set);
}
