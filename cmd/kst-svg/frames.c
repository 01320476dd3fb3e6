/* SPDX-License-Identifier: ISC */
/*
 * The frames. The widest are elements of their own, with a tooltip and a
 * text; the others are drawn together as one path for each colour.
 */
#include <stdlib.h>
#include <string.h>

#include "colour.h"
#include "base/intern.h"
#include "number.h"
#include "base/buf.h"
#include "origin.h"
#include "base/out.h"
#include "picture.h"
#include "text.h"
#include "tree.h"
#include "base/xalloc.h"

/*
 * Frames that are elements of their own (with up to three inside each), and
 * the widest runs of frames, in pixels, that are drawn as one.
 */
enum { ELEMENTS_MAX = 1000 };
static const double RUN_WIDTH = 1;

static double
row_y(const struct picture *p, uint32_t row)
{
	double rows = p->o->inverted ? row : p->l.row_max - row;

	return p->top + rows * p->o->frame_height;
}

static unsigned
change_class(const struct picture *p, const struct node *n)
{
	const struct node *root = &p->t->nodes[0];
	double r = p->l.ratio, a = weight_double(n->total[0]);
	double b = weight_double(n->total[1]);
	double was = weight_double(root->total[0]) * r;
	double is = weight_double(root->total[1]);

	return colour_of_change(
	    a * r, b, p->exact ? 0 : a * r * r + b, was > is ? was : is);
}

void
frames_find_classes(struct picture *p)
{
	uint32_t n_names = intern_count(p->t->names);

	p->name_class = xreallocn(NULL, n_names, sizeof *p->name_class);
	memset(p->name_class, 0xff, n_names * sizeof *p->name_class);
	for (uint32_t i = 1; i < p->t->n && !p->differential; i++) {
		uint32_t id = p->t->nodes[i].name;
		size_t len;
		const char *name = intern_str(p->t->names, id, &len);

		if (p->name_class[id] == UINT32_MAX)
			p->name_class[id] = colour_of(p->c, name, len);
	}
	if (p->name_class[p->t->nodes[0].name] == UINT32_MAX)
		p->name_class[p->t->nodes[0].name] = 0;
}

static unsigned
class_of(const struct picture *p, const struct node *n)
{
	return p->differential ? change_class(p, n) : p->name_class[n->name];
}

static int
larger_first(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

/*
 * Which frames are elements: the widest; of those equally wide, as on one
 * very deep stack, the ones nearer to the root.
 */
static bool *
find_elements(const struct picture *p)
{
	bool *element = xcalloc(p->t->n, sizeof *element);
	double *w, least = 0;
	size_t room = ELEMENTS_MAX, n = p->t->n;

	if (n > ELEMENTS_MAX) {
		w = xreallocn(NULL, n, sizeof *w);
		memcpy(w, p->l.w, n * sizeof *w);
		qsort(w, n, sizeof *w, larger_first);
		least = w[ELEMENTS_MAX - 1];
		if (least < 1 / p->inner)
			least = 1 / p->inner;
		for (size_t i = 0; i < n && w[i] > least; i++)
			room--;
		free(w);
	}
	for (size_t i = 0; i < n; i++)
		if (p->l.w[i] > least)
			element[i] = true;
		else if (p->l.w[i] == least && room > 0)
			element[i] = room--;
	return element;
}

static void
put_count(const struct picture *p, weight w)
{
	struct buf b = BUF_INIT;

	origin_add_count(&b, w, p->o->countname);
	text_put(b.p, b.len);
	buf_done(&b);
}

/* Counts and shares before and after. */
static void
put_change(const struct picture *p, const struct node *n)
{
	const struct node *root = &p->t->nodes[0];
	bool more = n->total[1] > n->total[0];
	weight change;
	double before, after;

	if (p->exact)
		put_count(p, n->total[0]);
	else
		number_put(n->total[0]);
	out_puts(" → ");
	put_count(p, n->total[1]);
	if (!p->o->normalize) {
		out_puts(more			     ? ", +"
			 : n->total[1] < n->total[0] ? ", −"
						     : ", ");
		change = more ? n->total[1] - n->total[0]
			      : n->total[0] - n->total[1];
		if (p->exact)
			put_count(p, change);
		else
			number_put(change);
		return;
	}
	before = number_percent((double)n->total[0], (double)root->total[0]);
	after = number_percent((double)n->total[1], (double)root->total[1]);
	out_printf(", %.2f%% → %.2f%%, %s%.2f points", before, after,
	    after > before   ? "+"
	    : after < before ? "−"
			     : "",
	    after > before ? after - before : before - after);
}

/*
 * `name (12 samples, 3.45%)`, `name (12 → 15 samples, +3)`, or with equal
 * totals `name (12 → 15 samples, 3.00% → 3.50%, +0.50 points)`.
 */
static void
put_tooltip(const struct picture *p, const struct node *n)
{
	size_t len;
	const char *name = intern_str(p->t->names, n->name, &len);

	text_put_isolated(name, len);
	out_puts(" (");
	if (p->differential) {
		put_change(p, n);
	} else {
		put_count(p, n->total[0]);
		out_puts(", ");
		number_put_percent((double)n->total[0], p->l.scale);
	}
	out_putc(')');
}

static void
put_text(
    const struct picture *p, const struct node *n, double x, double y, double w)
{
	size_t len;
	const char *name = intern_str(p->t->names, n->name, &len);
	double size = p->o->font_size, room = (w - 6) / size * 100;

	if (colours_annotate(p->o->colors))
		len = text_annotated(name, len);
	if (size < PICTURE_FONT_MIN || room <= 0 ||
	    (room < TEXT_LEAST && text_width(name, len) > room))
		return;
	out_puts("<text x=\"");
	number_put_px(x + 3);
	out_puts("\" y=\"");
	number_put_px(y + (p->o->frame_height - 1) / 2 + size * 0.35);
	out_putc('"');
	if (n->depth > 0 || p->differential)
		colours_put_text_fill(p->c, class_of(p, n));
	out_putc('>');
	text_put_name(name, len, (unsigned)room);
	out_puts("</text>");
}

static void
put_element(const struct picture *p, uint32_t i)
{
	const struct node *n = &p->t->nodes[i];
	double x = PICTURE_PAD + p->l.x[i] * p->inner, w = p->l.w[i] * p->inner;
	double y = row_y(p, p->l.row[i]);

	out_puts("<g><title>");
	put_tooltip(p, n);
	if (i == 0 && !p->differential) {
		out_puts("</title><rect class=\"root\" fill=\"#d7dbe1\"");
	} else {
		out_printf("</title><rect class=\"c%u\"", class_of(p, n));
		colours_put_attribute(p->c, class_of(p, n), "fill");
	}
	out_puts(" x=\"");
	number_put_px(x);
	out_puts("\" y=\"");
	number_put_px(y);
	out_puts("\" width=\"");
	number_put_px(w > 3 ? w - 0.5 : w);
	out_puts("\" height=\"");
	number_put_px(p->o->frame_height - 1);
	out_puts("\"/>");
	put_text(p, n, x, y, w);
	out_puts("</g>\n");
}

/* A run of narrow frames that touch each other, all in the first's colour. */
struct run {
	double x, end;
	uint32_t row;
	unsigned class;
};

struct runs {
	struct run *p;
	size_t n, cap;
	size_t *last; /* of each row: its number + 1, or 0 */
};

static void
add_to_runs(struct runs *v, const struct run *frame)
{
	size_t last = v->last[frame->row];

	if (last) {
		struct run *r = &v->p[last - 1];

		if (frame->x - r->end < 0.05 && frame->end - r->x < RUN_WIDTH) {
			r->end = frame->end;
			return;
		}
	}
	v->p = xgrow(v->p, v->n + 1, &v->cap, sizeof *v->p);
	v->p[v->n++] = *frame;
	v->last[frame->row] = v->n;
}

/* A line as thick as a frame is high: shorter than a rectangle. */
static void
put_run(const struct picture *p, const struct run *r)
{
	out_putc('M');
	number_put_px(r->x);
	out_putc(' ');
	number_put_px(row_y(p, r->row) + (p->o->frame_height - 1) / 2);
	out_putc('h');
	number_put_px(r->end - r->x);
}

/* One path for each colour. */
static void
put_runs(const struct picture *p, const struct runs *v)
{
	for (unsigned k = 0; k < colours_count(p->c); k++) {
		bool any = false;

		for (size_t i = 0; i < v->n; i++) {
			if (v->p[i].class != k)
				continue;
			if (!any) {
				out_printf("<path class=\"c%u\"", k);
				colours_put_attribute(p->c, k, "stroke");
				out_puts(" d=\"");
			}
			any = true;
			put_run(p, &v->p[i]);
		}
		if (any)
			out_puts("\"/>\n");
	}
}

static void
put_narrow(const struct picture *p, const bool *element)
{
	struct runs v = {0};

	v.last = xcalloc((size_t)p->l.row_max + 1, sizeof *v.last);
	for (uint32_t i = 0; i < p->t->n; i++) {
		const struct node *n = &p->t->nodes[i];
		double x = PICTURE_PAD + p->l.x[i] * p->inner;

		if (!element[i])
			add_to_runs(
			    &v, &(struct run){x, x + p->l.w[i] * p->inner,
				    p->l.row[i], class_of(p, n)});
	}
	put_runs(p, &v);
	free(v.p);
	free(v.last);
}

void
frames_put(const struct picture *p)
{
	bool *element = find_elements(p);

	put_narrow(p, element);
	for (uint32_t i = 0; i < p->t->n; i++)
		if (element[i])
			put_element(p, i);
	free(element);
}
