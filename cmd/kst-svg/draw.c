/* SPDX-License-Identifier: ISC */
/*
 * The document has a bounded number of elements: the widest frames are
 * elements of their own, with a tooltip and a text; the others are drawn
 * together as one path for each colour.
 */
#include "draw.h"

#include <stdlib.h>
#include <string.h>

#include "axis.h"
#include "colour.h"
#include "intern.h"
#include "layout.h"
#include "number.h"
#include "out.h"
#include "read.h"
#include "svg-script.h"
#include "svg-style.h"
#include "table.h"
#include "text.h"
#include "tree.h"
#include "xalloc.h"

/*
 * Frames that are elements of their own (with up to three inside each), and
 * the widest runs of frames, in pixels, that are drawn as one.
 */
enum { ELEMENTS_MAX = 1000 };
static const double RUN_WIDTH = 1;

/* Distances in pixels. */
enum {
	PAD = 10,
	TITLE_SIZE = 18,
	SUB_SIZE = 13,
	NOTES_SIZE = 12,
	LEGEND_ROW = 20
};

struct picture {
	const struct svg_opts *o;
	const struct tree *t;
	struct colours *c;
	bool differential;
	struct layout l;
	double inner, top, bottom; /* of the frames: width, edges */
	double height;
	double element_min;   /* width from which a frame is an element */
	unsigned *class;      /* of each node */
	unsigned *name_class; /* of each name, or UINT32_MAX */
};

static double
frame_y(const struct picture *p, uint32_t depth)
{
	double rows = p->o->inverted ? depth : p->t->depth_max - depth;

	return p->top + rows * p->o->frame_height;
}

static unsigned
class_of(struct picture *p, const struct node *n)
{
	const struct node *root = &p->t->nodes[0];
	const char *name;
	size_t len;

	if (p->differential) {
		double r = p->l.ratio, a = weight_double(n->total[0]);
		double b = weight_double(n->total[1]);
		double was = weight_double(root->total[0]) * r;
		double is = weight_double(root->total[1]);

		return colour_of_change(
		    a * r, b, a * r * r + b, was > is ? was : is);
	}
	if (p->name_class[n->name] == UINT32_MAX) {
		name = intern_str(p->t->names, n->name, &len);
		p->name_class[n->name] = colour_of(p->c, name, len);
	}
	return p->name_class[n->name];
}

static void
find_classes(struct picture *p)
{
	uint32_t n_names = intern_count(p->t->names);

	p->class = xcalloc(p->t->n, sizeof *p->class);
	p->name_class = xreallocn(NULL, n_names, sizeof *p->name_class);
	memset(p->name_class, 0xff, n_names * sizeof *p->name_class);
	for (uint32_t i = !p->differential; i < p->t->n; i++)
		p->class[i] = class_of(p, &p->t->nodes[i]);
}

static int
double_cmp(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? 1 : x > y ? -1 : 0;
}

/* The width above which at most ELEMENTS_MAX frames are. */
static double
find_element_min(const struct picture *p)
{
	double *w, min = 1 / p->inner;

	if (p->t->n <= ELEMENTS_MAX)
		return 0;
	w = xreallocn(NULL, p->t->n, sizeof *w);
	memcpy(w, p->l.w, p->t->n * sizeof *w);
	qsort(w, p->t->n, sizeof *w, double_cmp);
	if (w[ELEMENTS_MAX] >= min)
		min = w[ELEMENTS_MAX] * (1 + 1e-9) + 1e-12;
	free(w);
	return min;
}

/* `name (12 samples, 3.45%)`, or both counts and the change. */
static void
put_tooltip(const struct picture *p, const struct node *n)
{
	const struct node *root = &p->t->nodes[0];
	const char *name;
	size_t len;

	name = intern_str(p->t->names, n->name, &len);
	text_put(name, len);
	out_puts(" (");
	if (p->differential) {
		number_put(n->total[0]);
		out_puts(" → ");
		number_put(n->total[1]);
		out_putc(' ');
		text_puts(p->o->countname);
		out_puts(", ");
		number_put_percent((double)n->total[0], (double)root->total[0]);
		out_puts(" → ");
		number_put_percent((double)n->total[1], (double)root->total[1]);
	} else {
		number_put(n->total[0]);
		out_putc(' ');
		text_puts(p->o->countname);
		out_puts(", ");
		number_put_percent((double)n->total[0], p->l.scale);
	}
	out_putc(')');
}

static void
put_element(const struct picture *p, uint32_t i)
{
	const struct node *n = &p->t->nodes[i];
	double x = PAD + p->l.x[i] * p->inner, w = p->l.w[i] * p->inner;
	double y = frame_y(p, n->depth), h = p->o->frame_height;
	double gap = w > 3 ? 0.5 : 0;
	double room = (w - 6) / p->o->font_size * 100;
	const char *name;
	size_t len;

	name = intern_str(p->t->names, n->name, &len);
	out_puts("<g><title>");
	put_tooltip(p, n);
	if (i == 0 && !p->differential)
		out_puts("</title><rect class=\"root\" x=\"");
	else
		out_printf("</title><rect class=\"c%u\" x=\"", p->class[i]);
	number_put_px(x);
	out_puts("\" y=\"");
	number_put_px(y);
	out_puts("\" width=\"");
	number_put_px(w - gap);
	out_puts("\" height=\"");
	number_put_px(h - 1);
	out_puts("\"/>");
	if (room >= 3 * 61 || text_width(name, len) <= room) {
		out_puts("<text x=\"");
		number_put_px(x + 3);
		out_puts("\" y=\"");
		number_put_px(y + (h - 1) / 2 + p->o->font_size * 0.35);
		out_puts("\">");
		text_put_fit(name, len, room > 0 ? (unsigned)room : 0);
		out_puts("</text>");
	}
	out_puts("</g>\n");
}

/* A run of narrow frames that touch each other, all in the first's colour. */
struct run {
	double x, end;
	unsigned class;
	bool any;
};

/* A line as thick as a frame is high: shorter than a rectangle. */
static void
put_run(const struct picture *p, const struct run *r, uint32_t depth)
{
	out_putc('M');
	number_put_px(r->x);
	out_putc(' ');
	number_put_px(frame_y(p, depth) + (p->o->frame_height - 1) / 2);
	out_putc('h');
	number_put_px(r->end - r->x);
}

/* The runs of all frames that are no elements, as a list of rectangles. */
struct rects {
	struct rect {
		struct run run;
		uint32_t depth;
	} * p;
	size_t n, cap;
};

static void
add_rect(struct rects *v, const struct run *run, uint32_t depth)
{
	if (v->n == v->cap) {
		v->cap = v->cap ? v->cap * 2 : 1024;
		v->p = xreallocn(v->p, v->cap, sizeof *v->p);
	}
	v->p[v->n].run = *run;
	v->p[v->n++].depth = depth;
}

static void
find_rects(const struct picture *p, struct rects *v)
{
	struct run *runs = xcalloc((size_t)p->t->depth_max + 1, sizeof *runs);

	for (uint32_t i = 0; i < p->t->n; i++) {
		uint32_t depth = p->t->nodes[i].depth;
		double x = PAD + p->l.x[i] * p->inner;
		double w = p->l.w[i] * p->inner;
		struct run *r = &runs[depth];

		if (p->l.w[i] >= p->element_min)
			continue;
		if (r->any && x - r->end < 0.05 && x + w - r->x < RUN_WIDTH) {
			r->end = x + w;
			continue;
		}
		if (r->any)
			add_rect(v, r, depth);
		*r = (struct run){x, x + w, p->class[i], true};
	}
	for (uint32_t d = 0; d <= p->t->depth_max; d++)
		if (runs[d].any)
			add_rect(v, &runs[d], d);
	free(runs);
}

static void
put_narrow(const struct picture *p)
{
	struct rects v = {NULL, 0, 0};

	find_rects(p, &v);
	for (unsigned k = 0; k < colours_count(p->c); k++) {
		bool any = false;

		for (size_t i = 0; i < v.n; i++) {
			if (v.p[i].run.class != k)
				continue;
			if (!any)
				out_printf("<path class=\"c%u\" d=\"", k);
			any = true;
			put_run(p, &v.p[i].run, v.p[i].depth);
		}
		if (any)
			out_puts("\"/>\n");
	}
	free(v.p);
}

static void
put_label(const char *class, double x, double y, const char *s)
{
	out_printf("<text class=\"%s\" x=\"", class);
	number_put_px(x);
	out_puts("\" y=\"");
	number_put_px(y);
	out_puts("\">");
	text_puts(s);
	out_puts("</text>\n");
}

static void
put_style(const struct picture *p)
{
	out_puts("<style>\n");
	out_puts(svg_style);
	out_puts("svg{font-family:");
	text_puts(p->o->font);
	out_puts(";font-size:");
	number_put_px(p->o->font_size);
	out_puts("px}\n.f>path{stroke-width:");
	number_put_px(p->o->frame_height - 1);
	out_puts("}\n");
	colours_put_css(p->c);
	out_puts("</style>\n");
}

static void
put_head(const struct picture *p)
{
	out_puts("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"");
	number_put_px(p->o->width);
	out_puts("\" height=\"");
	number_put_px(p->height);
	out_puts("\" viewBox=\"0 0 ");
	number_put_px(p->o->width);
	out_putc(' ');
	number_put_px(p->height);
	out_puts("\" data-bottom=\"");
	number_put_px(p->bottom);
	out_puts("\" data-height=\"");
	number_put_px(p->height);
	out_puts("\">\n<title>");
	text_puts(p->o->title);
	out_puts("</title>\n");
	if (p->o->notes) {
		out_puts("<desc>");
		text_puts(p->o->notes);
		out_puts("</desc>\n");
	}
	put_style(p);
	if (!p->o->no_script) /* it will draw anew: once is enough */
		out_puts("<script>document.documentElement.classList.add("
			 "'js')</script>\n");
	out_puts("<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
	put_label("title", PAD, PAD + TITLE_SIZE, p->o->title);
	if (p->o->subtitle)
		put_label("subtitle", PAD, PAD + TITLE_SIZE + SUB_SIZE + 5,
		    p->o->subtitle);
}

/*
 * The legend, in as many rows as it needs; with put false it is only
 * measured. Returns its height.
 */
static double
legend(const struct picture *p, double y, bool put)
{
	double x = PAD, start = y;
	bool any = false;

	for (unsigned k = 0; k < colours_count(p->c); k++) {
		const char *s = colour_legend(p->c, k);
		double w;

		if (s == NULL)
			continue;
		w = *s ? 16 + text_width(s, strlen(s)) * 0.12 + 18 : 16;
		if (x > PAD && x + w > p->o->width - PAD) {
			x = PAD;
			y += LEGEND_ROW;
		}
		if (put) {
			out_printf("<rect class=\"c%u\" x=\"", k);
			number_put_px(x);
			out_puts("\" y=\"");
			number_put_px(y);
			out_puts("\" width=\"12\" height=\"12\"/>\n");
			if (*s)
				put_label("note", x + 16, y + 10, s);
		}
		x += w;
		any = true;
	}
	return any ? y - start + LEGEND_ROW : 0;
}

static void
measure(struct picture *p)
{
	p->inner = p->o->width - 2 * PAD;
	p->top = PAD + TITLE_SIZE + 12 + (p->o->subtitle ? SUB_SIZE + 4 : 0);
	p->bottom = p->top + (p->t->depth_max + 1) * p->o->frame_height + 6;
	if (p->o->flamechart)
		p->bottom += AXIS_HEIGHT;
	p->height = p->bottom + legend(p, 0, false) +
		    (p->o->notes ? NOTES_SIZE + 6 : 0) + 4;
	p->element_min = find_element_min(p);
}

static void
put_script(void)
{
	out_puts("<script><![CDATA[\n(function () {\n'use strict';\n");
	out_puts(svg_script);
	out_puts("try { start(); } finally {\n"
		 "document.documentElement.classList.remove('js'); }\n"
		 "})();\n]]></script>\n");
}

void
draw_svg(
    const struct svg_opts *o, const struct read_result *in, struct colours *c)
{
	const struct tree *t = in->tree;
	struct picture p = {
	    .o = o, .t = t, .c = c, .differential = in->differential};
	double at;

	layout_init(&p.l, t, o);
	find_classes(&p);
	measure(&p);
	put_head(&p);
	out_puts("<g id=\"frames\" class=\"f\" data-top=\"");
	number_put_px(p.top);
	out_puts("\">\n");
	put_narrow(&p);
	for (uint32_t i = 0; i < t->n; i++)
		if (p.l.w[i] >= p.element_min)
			put_element(&p, i);
	if (o->flamechart)
		axis_put(PAD, p.bottom - 6 - AXIS_HEIGHT, p.inner,
		    p.l.scale * 1e-18, o->countname);
	out_puts("</g>\n<g id=\"foot\">\n");
	at = p.bottom + legend(&p, p.bottom, true);
	if (o->notes)
		put_label("note", PAD, at + NOTES_SIZE, o->notes);
	out_puts("</g>\n");
	if (!o->no_script) {
		table_put(o, in, &p.l, p.name_class);
		put_script();
	}
	out_puts("</svg>\n");
	free(p.class);
	free(p.name_class);
	layout_done(&p.l);
}
