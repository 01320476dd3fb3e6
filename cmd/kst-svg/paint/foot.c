/* SPDX-License-Identifier: ISC */
/* Labels; below the frames the axis, the legend and the notes. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "set/intern.h"
#include "io/out.h"
#include "base/xalloc.h"
#include "colour/colour.h"
#include "paint/number.h"
#include "paint/paint.h"
#include "paint/text.h"
#include "read/read.h"
#include "frames/tree.h"

enum { NOTE_ROW = PICTURE_NOTE_SIZE + 6 };

void
label_put(const struct picture *p, const char *class, double y, double size,
    const char *s)
{
	size_t len = strlen(s);
	unsigned room = (unsigned)(p->inner / size * 100);
	bool is_title = strcmp(class, "title") == 0;
	struct buf text = BUF_INIT;

	out_printf("<text class=\"%s\" fill=\"%s\" font-size=\"%g\"%s x=\"%d\"",
	    class, is_title ? SVG_TEXT : SVG_SOFT, size,
	    is_title ? " font-weight=\"600\"" : "", PICTURE_PAD);
	px_printf(" y=\"~\">", y);
	text_fit(&text, s, len, room);
	if (!bytes_same(text.p, text.len, s, len)) {
		out_puts("<title>");
		text_puts(s);
		out_puts("</title>");
	}
	text_put(text.p, text.len);
	out_puts("</text>\n");
	buf_done(&text);
}

/* Steps of 1, 2 or 5, at least as wide as asked. */
static double
nice_step(double least)
{
	double unit = 1;

	while (unit > least)
		unit /= 10;
	while (unit * 10 <= least)
		unit *= 10;
	return unit >= least	   ? unit
	       : unit * 2 >= least ? unit * 2
	       : unit * 5 >= least ? unit * 5
				   : unit * 10;
}

void
axis_put(const struct picture *p, double end)
{
	double step = nice_step(end * 110 / p->inner);
	double y = p->bottom - 6 - AXIS_HEIGHT;
	struct buf text = BUF_INIT;

	out_puts("<g class=\"axis\" stroke-width=\"1\" font-size=\"11\">\n");
	for (double n = 0; n * step <= end; n++) {
		double x = PICTURE_PAD + n * step / end * p->inner;
		bool last = x > PICTURE_PAD + p->inner - 40;

		text.len = 0;
		number_add_tick(&text, n * step, p->o->countname);
		px_printf("<path d=\"M~ ~v6\" stroke=\"" SVG_SOFT "\"/>"
			  "<text fill=\"" SVG_SOFT "\" x=\"~\" y=\"~\"",
		    x, y, x + (last ? -3 : 3), y + 13);
		out_puts(last ? " text-anchor=\"end\">" : ">");
		out_put(text.p, text.len);
		out_puts("</text>\n");
	}
	out_puts("</g>\n");
	buf_done(&text);
}

enum { LEGEND_ROW = 20, KEY_WIDTH = 16 };

/* So many crates are named, those with most self weight, as far as they fit. */
enum { CRATES_MAX = 16, CRATE_NAME_MAX = 40 * 61 };

/* Where the next key goes; with put false nothing is written. */
struct legend {
	const struct picture *p;
	double x, y;
	bool any, put;
};

/*
 * A key: the colour of a class and a text, for which there are text_px. On a
 * new row if it does not fit beside the last one.
 */
static void
put_key(struct legend *at, unsigned class, double text_px, const char *text,
    size_t len)
{
	double w = KEY_WIDTH + 18 + text_px;
	double x = at->x;

	if (at->any && x + w > at->p->o->width - PICTURE_PAD) {
		x = PICTURE_PAD;
		at->y += LEGEND_ROW;
	}
	at->x = x + w;
	if (at->put) {
		out_puts(at->any ? "" : "<g id=\"legend\">\n");
		px_printf("<g transform=\"translate(~ ~)\">", x, at->y);
		out_printf("<rect class=\"c%u\" fill=\"%s\" x=\"0\" "
			   "width=\"12\" height=\"12\"/>"
			   "<text class=\"note\" fill=\"" SVG_SOFT
			   "\" font-size=\"%d\" x=\"%d\" y=\"10\">",
		    class, RGB_TEXT(at->p->c->class[class].light),
		    PICTURE_NOTE_SIZE, KEY_WIDTH);
		text_put(text, len);
		out_puts("</text></g>\n");
	}
	at->any = true;
}

static double
note_px(unsigned width)
{
	return width * 0.01 * PICTURE_NOTE_SIZE;
}

static void
put_kinds(struct legend *at)
{
	const struct colours *c = at->p->c;

	for (uint32_t i = 0; i < c->n_kinds; i++) {
		const struct kind *k = &c->kind[i];
		size_t len = k->legend ? strlen(k->legend) : 0;

		if (k->used && k->legend)
			put_key(at, k->first,
			    note_px(text_width(k->legend, len)), k->legend,
			    len);
	}
}

struct crate {
	const char *name;
	size_t len;
	double self;
	unsigned class;
	bool is_named; /* in the legend */
};

static int
heavier_first(const void *a, const void *b)
{
	const struct crate *x = a, *y = b;

	if (x->self != y->self)
		return x->self < y->self ? 1 : -1;
	return bytes_cmp(x->name, x->len, y->name, y->len);
}

/* The crates of the picture, in an array that the caller frees. */
static struct crate *
find_crates(const struct picture *p, size_t *n)
{
	const struct tree *t = p->t;
	struct intern *ids = intern_new();
	struct crate *v = NULL;
	size_t cap = 0;

	*n = 0;
	for (uint32_t i = 1; i < t->n; i++) {
		struct crate c = {0};
		unsigned class = p->name_class[t->nodes[i].name];
		uint32_t id;

		c.name = intern_str(t->names, t->nodes[i].name, &c.len);
		if (!colour_crate(p->c, class, &c.name, &c.len, &c.class))
			continue;
		c.self = weight_double(tree_self(t, i, 0));
		id = intern_id(ids, c.name, c.len);
		if (id == *n)
			*xpush(v, *n, cap) = c;
		else
			v[id].self += c.self;
	}
	intern_free(ids);
	if (*n)
		qsort(v, *n, sizeof *v, heavier_first);
	return v;
}

/* A key for each hue; crates that share one stand together. */
static void
put_crates(struct legend *at)
{
	size_t n;
	struct crate *v = find_crates(at->p, &n);
	struct buf text = BUF_INIT;

	if (n > CRATES_MAX)
		n = CRATES_MAX;
	for (size_t i = 0; i < n; i++) {
		unsigned class = v[i].class;
		double px = 0;

		text.len = 0;
		for (size_t j = i; j < n; j++) {
			unsigned width = text_width(v[j].name, v[j].len);

			if (v[j].class != class || v[j].is_named)
				continue;
			v[j].is_named = true;
			px += note_px(width < CRATE_NAME_MAX ? width
							     : CRATE_NAME_MAX) +
			      14;
			buf_adds(&text, text.len ? ", " : "");
			text_fit(&text, v[j].name, v[j].len, CRATE_NAME_MAX);
		}
		if (text.len)
			put_key(at, class, px, text.p, text.len);
	}
	buf_done(&text);
	free(v);
}

static double
legend_put(const struct picture *p, double y, bool put)
{
	struct legend at = {.p = p, .x = PICTURE_PAD, .y = y, .put = put};

	put_kinds(&at);
	if (!p->in->differential && p->c->crates)
		put_crates(&at);
	if (put && at.any)
		out_puts("</g>\n");
	return at.any ? at.y - y + LEGEND_ROW : 0;
}

/* Notes; the script hides what no longer holds of the view. */
enum { NO_COUNTS, TOTALS, LOST, ORIGIN, OWN, N_NOTES };

static const char *const note_class[N_NOTES] = {
    "note", "note totals", "note", "note origin", "note"};

static void
add_notes(const struct picture *p, struct buf note[N_NOTES])
{
	const weight total[2] = {
	    tree_total(p->t, 0, 0), tree_total(p->t, 0, 1)};
	weight lost = tree_lost(p->t);
	weight all = total[0] + total[1];

	if (!all)
		buf_adds(&note[NO_COUNTS], "There are no counts in the input.");
	if (p->in->differential && total[0] != total[1]) {
		buf_adds(&note[TOTALS], "The totals differ: ");
		number_add(&note[TOTALS], total[0]);
		buf_adds(&note[TOTALS], " before, ");
		number_add(&note[TOTALS], total[1]);
		buf_adds(&note[TOTALS],
		    p->o->normalize
			? " after. Shares are compared."
			: " after. Normalise (--normalize) compares shares.");
	}
	if (lost)
		buf_printf(&note[LOST],
		    "%.2g%% of all is in frames too narrow to be kept; "
		    "searches %s it. --all keeps every frame.",
		    number_percent((double)lost, (double)all),
		    p->in->tree->sums ? "miss it, the table of all has"
				      : "and sums miss");
	number_add_origin(&note[ORIGIN], &p->in->trailer);
	if (p->o->notes)
		buf_adds(&note[OWN], p->o->notes);
}

double
foot_put(const struct picture *p, double y, bool put)
{
	struct buf note[N_NOTES] = {0};
	double at = y + legend_put(p, y, put);

	add_notes(p, note);
	for (int i = 0; i < N_NOTES; i++) {
		if (note[i].len && put)
			label_put(p, note_class[i], at + PICTURE_NOTE_SIZE,
			    PICTURE_NOTE_SIZE, buf_str(&note[i]));
		if (note[i].len)
			at += NOTE_ROW;
		buf_done(&note[i]);
	}
	return at - y;
}
