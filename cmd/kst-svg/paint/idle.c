/* SPDX-License-Identifier: ISC */
/* Idle CPUs as narrow frames; share/svg/idle.js does the same for a view. */
#include "frames/idle.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/xalloc.h"
#include "colour/colour.h"
#include "frames/tree.h"
#include "io/out.h"
#include "paint/number.h"
#include "paint/paint.h"
#include "read/read.h"
#include "set/intern.h"

/* The most that idle CPUs have of the width. */
static const double IDLE_SHARE = 0.08;

/* How far the lines of a narrow frame are apart, in pixels. */
enum { HATCH = 8, HATCH_WIDTH = 3 };

static bool
is_wanted(const struct picture *p)
{
	const struct svg_opts *o = p->o;

	return !o->flamechart && !o->reverse && !p->in->differential &&
	       (o->idle == NULL || strcmp(o->idle, "wide") != 0) &&
	       weight_of(&o->total) <= tree_total(p->t, 0, 0);
}

/* Calls each node that is idle with its descendants; returns how many. */
static uint32_t
mark_heads(const struct picture *p, bool *head)
{
	const struct tree *t = p->t;
	const uint32_t depth = idle_depth(t) + 1;
	uint32_t n = 0;

	for (uint32_t i = 1; i < t->n;) {
		size_t len;
		const char *name = intern_str(t->names, t->nodes[i].name, &len);

		if (t->nodes[i].depth < depth) {
			i++;
			continue;
		}
		if (bytes_is(name, len, "halted")) {
			n++;
			if (head)
				head[i] = true;
		}
		i = t->nodes[i].end;
	}
	return n;
}

struct tree *
idle_by_names(struct picture *p)
{
	uint32_t n = intern_count(p->t->names), first, last;
	struct tree *apart = NULL;
	bool *is_idle;

	if (!is_wanted(p) || !colour_idle(p->c, &first, &last) ||
	    mark_heads(p, NULL))
		return NULL;
	is_idle = xcalloc(n + 1, sizeof *is_idle);
	for (uint32_t id = 0; id < n; id++)
		is_idle[id] =
		    p->name_class[id] >= first && p->name_class[id] <= last;
	apart = idle_apart(p->t, is_idle, IDLE_SHARE, &p->idle);
	free(is_idle);
	if (apart)
		p->t = apart;
	return apart;
}

/* Of each node the width that is left of its weight. */
static void
narrow(struct picture *p, double sum, double least)
{
	const struct tree *t = p->t;
	double factor = least / sum, *less;

	p->width = xcalloc(t->n, sizeof *p->width);
	less = xcalloc((size_t)t->depth_max + 2, sizeof *less);
	for (uint32_t i = t->n; i-- > 0;) {
		const struct node *n = &t->nodes[i];
		double w = (double)tree_total(t, i, 0), by;

		by = less[n->depth + 1];
		less[n->depth + 1] = 0;
		if (p->idle[i]) {
			by = w * (1 - factor);
			for (uint32_t k = i + 1; k < n->end; k++)
				p->width[k] =
				    (double)tree_total(t, k, 0) * factor;
		}
		p->width[i] = w - by;
		less[n->depth] += by;
	}
	free(less);
}

void
idle_narrow(struct picture *p)
{
	const struct tree *t = p->t;
	double all = (double)tree_total(t, 0, 0), sum = 0, least;

	if (!is_wanted(p))
		return;
	if (p->idle == NULL) {
		p->idle = xcalloc(t->n, sizeof *p->idle);
		mark_heads(p, p->idle);
	}
	for (uint32_t i = 1; i < t->n; i++)
		sum += p->idle[i] ? (double)tree_total(t, i, 0) : 0;
	least = (all - sum) * IDLE_SHARE / (1 - IDLE_SHARE);
	if (sum < all && sum > least) {
		narrow(p, sum, least);
		return;
	}
	free(p->idle);
	p->idle = NULL;
}

void
idle_put(const struct picture *p, double x, double y, double w)
{
	const double h = p->o->frame_height - 1;

	px_printf("<rect class=\"root\" fill=\"#d7dbe1\" x=\"~\" y=\"~\" "
		  "width=\"~\" height=\"~\"/>",
	    x, y, w, h);
	if (w <= h)
		return;
	out_printf("<path stroke=\"#fff\" stroke-opacity=\"0.5\" "
		   "stroke-width=\"%d\" d=\"",
	    HATCH_WIDTH);
	for (double at = 2; at + h < w; at += HATCH)
		px_printf("M~ ~l~ ~", x + at, y + h, h, -h);
	out_puts("\"/>");
}
