/* SPDX-License-Identifier: ISC */
/*
 * The frames. The widest are elements of their own, with a tooltip and a
 * text; the others are drawn together as one path for each colour.
 */
#include <stdlib.h>
#include <string.h>

#include "colour/colour.h"
#include "set/intern.h"
#include "names/name.h"
#include "paint/number.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "io/out.h"
#include "paint/paint.h"
#include "paint/text.h"
#include "read/read.h"
#include "frames/tree.h"
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
	double rows = p->o->inverted ? row : p->row_max - row;

	return p->top + rows * p->o->frame_height;
}

/* The next node that may be drawn: what idle CPUs called is not. */
static uint32_t
next_of(const struct picture *p, uint32_t i)
{
	return p->idle && p->idle[i] ? p->t->nodes[i].end : i + 1;
}

static unsigned
change_class(const struct picture *p, uint32_t i)
{
	const struct tree *t = p->t;
	double r = p->ratio, a = weight_double(tree_total(t, i, 0));
	double b = weight_double(tree_total(t, i, 1));
	double was = weight_double(tree_total(t, 0, 0)) * r;
	double is = weight_double(tree_total(t, 0, 1));

	return colour_of_change(
	    a * r, b, p->certain ? 0 : a * r * r + b, was > is ? was : is);
}

void
frames_find_classes(struct picture *p)
{
	uint32_t n_names = intern_count(p->t->names);

	p->name_class = xreallocn(NULL, n_names, sizeof *p->name_class);
	memset(p->name_class, 0xff, n_names * sizeof *p->name_class);
	for (uint32_t i = 1; i < p->t->n && !p->in->differential; i++) {
		uint32_t id = p->t->nodes[i].name;
		size_t len;
		const char *name = intern_str(p->t->names, id, &len);

		if (p->name_class[id] == UINT32_MAX)
			p->name_class[id] = colour_of(p->c, name, len);
	}
	for (uint32_t id = 0; id < n_names; id++)
		if (p->name_class[id] == UINT32_MAX)
			p->name_class[id] = 0;
	if (!p->in->differential)
		programs_find(p, p->name_class);
}

static unsigned
class_of(const struct picture *p, uint32_t i)
{
	return p->in->differential ? change_class(p, i)
				   : p->name_class[p->t->nodes[i].name];
}

struct wide {
	double width;
	uint32_t node;
};

/* Of those equally wide, as on one very deep stack, the nearest to the root. */
static int
wider_first(const void *va, const void *vb)
{
	const struct wide *a = va, *b = vb;

	if (a->width != b->width)
		return a->width > b->width ? -1 : 1;
	return a->node < b->node ? -1 : a->node > b->node;
}

/* Which frames are elements: the widest. */
static bool *
find_elements(const struct picture *p)
{
	bool *element = xcalloc(p->t->n, sizeof *element);
	struct wide *wide = xreallocn(NULL, p->t->n, sizeof *wide);
	double least = p->t->n > ELEMENTS_MAX ? 1 / p->inner : 0;
	size_t n = 0;

	for (uint32_t i = 0; i < p->t->n; i = next_of(p, i)) {
		wide[n] = (struct wide){layout_width(p, i), i};
		n += wide[n].width >= least;
	}
	qsort(wide, n, sizeof *wide, wider_first);
	for (size_t i = 0; i < n && i < ELEMENTS_MAX; i++)
		element[wide[i].node] = true;
	free(wide);
	return element;
}

static void
put_count(const struct picture *p, weight w, bool with_unit)
{
	struct buf b = BUF_INIT;

	if (with_unit)
		number_add_unit(&b, w, p->o->countname);
	else
		number_add(&b, w);
	text_put(b.p, b.len);
	buf_done(&b);
}

/* Counts and shares before and after; of samples, one unit is enough. */
static void
put_change(const struct picture *p, uint32_t i)
{
	const struct tree *t = p->t;
	const weight was = tree_total(t, i, 0), is = tree_total(t, i, 1);
	double before, after;

	put_count(p, was, p->exact);
	out_puts(" → ");
	put_count(p, is, true);
	if (!p->o->normalize) {
		out_puts(is > was ? ", +" : is < was ? ", −" : ", ");
		put_count(p, is > was ? is - was : was - is, p->exact);
		return;
	}
	before = number_percent((double)was, (double)tree_total(t, 0, 0));
	after = number_percent((double)is, (double)tree_total(t, 0, 1));
	out_puts(", ");
	number_put_hundredths(before);
	out_puts("% → ");
	number_put_hundredths(after);
	out_puts(after > before ? "%, +" : after < before ? "%, −" : "%, ");
	number_put_hundredths(after > before ? after - before : before - after);
	out_puts(" points");
}

/* A frame that idle.c made has the root's name. */
static struct piece
name_of(const struct picture *p, uint32_t i)
{
	const struct node *v = p->t->nodes;
	struct piece name;

	if (p->idle && p->idle[i] && v[i].name == v[0].name)
		return (struct piece){"(idle)", 6};
	name.p = intern_str(p->t->names, v[i].name, &name.len);
	return name;
}

/*
 * `name (12 samples, 3.45%; a.c:7 1.50%)`, `name (12 → 15 samples, +3)`, or
 * with equal totals `name (12 → 15 samples, 3.00% → 3.50%, +0.50 points)`.
 */
static void
put_tooltip(const struct picture *p, uint32_t i)
{
	const struct piece name = name_of(p, i);

	text_put_isolated(name.p, name.len);
	out_puts(" (");
	if (p->in->differential) {
		put_change(p, i);
	} else {
		put_count(p, tree_total(p->t, i, 0), true);
		out_puts(", ");
		number_put_hundredths(
		    number_percent((double)tree_total(p->t, i, 0), p->scale));
		out_putc('%');
		lines_put(p, i);
	}
	out_putc(')');
}

static void
put_text(const struct picture *p, uint32_t i, uint32_t caller, double x,
    double y, double w)
{
	struct piece name = name_of(p, i);
	double size = p->o->font_size, room = (w - 6) / size * 100;
	struct buf text = BUF_INIT;
	const char *fill = NULL;

	if (size < PICTURE_FONT_MIN || room <= 0)
		return;
	if (p->c->annotates)
		name.len -= name_annotation(name.p, name.len);
	if (p->idle && p->idle[i]) {
		buf_printf(&text, "idle %.0f %%",
		    number_percent((double)tree_total(p->t, i, 0), p->scale));
		if (text_width(text.p, text.len) > room)
			text.len = 4;
		if (text_width(text.p, text.len) > room)
			text.len = 0;
	} else {
		text_fit_name(&text, name,
		    caller ? name_of(p, caller) : (struct piece){"", 0},
		    (unsigned)room);
	}
	if (text.len > 0) {
		px_printf("<text x=\"~\" y=\"~\"", x + 3,
		    y + (p->o->frame_height - 1) / 2 + size * 0.35);
		if ((i > 0 && !(p->idle && p->idle[i])) || p->in->differential)
			fill = rgb_text_on(p->c->class[class_of(p, i)].light);
		if (fill)
			out_printf(" fill=\"%s\"", fill);
		out_putc('>');
		text_put(text.p, text.len);
		out_puts("</text>");
	}
	buf_done(&text);
}

static void
put_element(const struct picture *p, uint32_t i, uint32_t caller)
{
	double x = PICTURE_PAD + p->x[i] * p->inner;
	double w = layout_width(p, i) * p->inner;
	double y = row_y(p, layout_row(p, i));
	unsigned class = class_of(p, i);

	out_puts("<g><title>");
	put_tooltip(p, i);
	out_puts("</title>");
	if (p->idle && p->idle[i]) {
		idle_put(p, x, y, w > 3 ? w - 0.5 : w);
	} else {
		if (i == 0 && !p->in->differential)
			out_puts("<rect class=\"root\" fill=\"#d7dbe1\"");
		else
			out_printf("<rect class=\"c%u\" fill=\"%s\"", class,
			    RGB_TEXT(p->c->class[class].light));
		px_printf(" x=\"~\" y=\"~\" width=\"~\" height=\"~\"/>", x, y,
		    w > 3 ? w - 0.5 : w, p->o->frame_height - 1);
	}
	put_text(p, i, caller, x, y, w);
	out_puts("</g>\n");
}

/*
 * Narrow frames of a row that touch each other are one line, as thick as a
 * frame is high, in the first one's colour. There may be millions.
 */
struct run {
	double x, end;
	unsigned class;
};

/* Adds a row's run to the path of its colour. */
static void
end_run(const struct picture *p, const struct run *r, uint32_t row,
    struct buf *path)
{
	if (r->end > r->x)
		px_add(&path[r->class], "M~ ~h~", r->x,
		    row_y(p, row) + (p->o->frame_height - 1) / 2,
		    r->end - r->x);
}

static void
put_narrow(const struct picture *p, const bool *element)
{
	struct run *run = xcalloc((size_t)p->row_max + 1, sizeof *run);
	struct buf *path = xcalloc(p->c->n + 1, sizeof *path);

	for (uint32_t i = 0; i < p->t->n; i = next_of(p, i)) {
		double x = PICTURE_PAD + p->x[i] * p->inner;
		double end = x + layout_width(p, i) * p->inner;
		uint32_t row = layout_row(p, i);
		struct run *r = &run[row];

		if (element[i])
			continue;
		if (x - r->end >= 0.05 || end - r->x >= RUN_WIDTH) {
			end_run(p, r, row, path);
			*r = (struct run){x, x, class_of(p, i)};
		}
		r->end = end;
	}
	for (uint32_t row = 0; row <= p->row_max; row++)
		end_run(p, &run[row], row, path);
	for (unsigned k = 0; k < p->c->n; k++) {
		if (path[k].len) {
			out_printf("<path class=\"c%u\" stroke=\"%s\" d=\"", k,
			    RGB_TEXT(p->c->class[k].light));
			out_put(path[k].p, path[k].len);
			out_puts("\"/>\n");
		}
		buf_done(&path[k]);
	}
	free(path);
	free(run);
}

void
frames_put(const struct picture *p)
{
	bool *element = find_elements(p);
	/* Of each depth the last node. */
	uint32_t *last = xcalloc((size_t)p->t->depth_max + 1, sizeof *last);

	put_narrow(p, element);
	for (uint32_t i = 0; i < p->t->n; i = next_of(p, i)) {
		const uint32_t depth = p->t->nodes[i].depth;

		last[depth] = i;
		if (element[i])
			put_element(p, i, depth ? last[depth - 1] : 0);
	}
	free(last);
	free(element);
}
