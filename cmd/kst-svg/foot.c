/* SPDX-License-Identifier: ISC */
/* Texts around the frames: labels, the legend, the notes. */
#include <string.h>

#include "colour.h"
#include "number.h"
#include "origin.h"
#include "base/buf.h"
#include "base/out.h"
#include "picture.h"
#include "text.h"
#include "tree.h"

enum { LEGEND_ROW = 20, KEY_WIDTH = 16, NOTE_ROW = PICTURE_NOTE_SIZE + 6 };

void
label_put(const struct picture *p, const char *class, double y, double size,
    const char *s)
{
	size_t len = strlen(s);
	unsigned room = (unsigned)(p->inner / size * 100);

	out_printf("<text class=\"%s\" fill=\"%s\" font-size=\"%g\"%s x=\"%d\" "
		   "y=\"",
	    class, strcmp(class, "title") == 0 ? PICTURE_TEXT : PICTURE_SOFT,
	    size, strcmp(class, "title") == 0 ? " font-weight=\"600\"" : "",
	    PICTURE_PAD);
	number_put_px(y);
	out_puts("\">");
	if (text_width(s, len) > room) {
		out_puts("<title>");
		text_puts(s);
		out_puts("</title>");
	}
	text_put_fit(s, len, room);
	out_puts("</text>\n");
}

/* A text with the colours of classes [from, to) before it. */
static void
put_key(const struct picture *p, unsigned from, unsigned to, double x, double y,
    const char *text)
{
	out_puts("<g transform=\"translate(");
	number_put_px(x);
	out_putc(' ');
	number_put_px(y);
	out_puts(")\">");
	for (unsigned k = from; k < to; k++) {
		out_printf("<rect class=\"c%u\"", k);
		colours_put_attribute(p->c, k, "fill");
		out_printf(" x=\"%u\" width=\"12\" height=\"12\"/>",
		    KEY_WIDTH * (k - from));
	}
	out_printf("<text class=\"note\" fill=\"" PICTURE_SOFT
		   "\" font-size=\"%d\" x=\"%u\" y=\"10\">",
	    PICTURE_NOTE_SIZE, KEY_WIDTH * (to - from));
	text_puts(text);
	out_puts("</text></g>\n");
}

/* In as many rows as it needs. */
static double
put_legend(const struct picture *p, double y, bool put)
{
	double x = PICTURE_PAD, start = y;
	bool any = false;

	for (unsigned from = 0, k = 0; k < colours_count(p->c); k++) {
		const char *s = colour_legend(p->c, k);
		double w;

		if (s == NULL)
			from = k + 1;
		if (s == NULL || !*s)
			continue;
		w = KEY_WIDTH * (k + 1 - from) + 18 +
		    text_width(s, strlen(s)) * 0.01 * PICTURE_NOTE_SIZE;
		if (any && x + w > p->o->width - PICTURE_PAD) {
			x = PICTURE_PAD;
			y += LEGEND_ROW;
		}
		if (put && !any)
			out_puts("<g id=\"legend\">\n");
		if (put)
			put_key(p, from, k + 1, x, y, s);
		x += w;
		any = true;
		from = k + 1;
	}
	if (put && any)
		out_puts("</g>\n");
	return any ? y - start + LEGEND_ROW : 0;
}

/* A weight of frames that are not in the tree. */
static weight
lost_weight(const struct tree *t, int k)
{
	weight lost = t->nodes[0].total[k];

	for (uint32_t i = 0; i < t->n; i++)
		lost -= t->nodes[i].self[k];
	return lost;
}

/* What a reader has to know of the numbers. */
static void
add_hints(const struct picture *p, struct buf hint[2])
{
	const weight *total = p->t->nodes[0].total;
	weight lost = lost_weight(p->t, 0) + lost_weight(p->t, 1);
	weight all = total[0] + total[1];

	if (p->differential && !p->o->normalize && total[0] != total[1]) {
		buf_adds(&hint[0], "The totals differ: ");
		number_add(&hint[0], total[0]);
		buf_adds(&hint[0], " before, ");
		number_add(&hint[0], total[1]);
		buf_adds(&hint[0],
		    " after. Normalise (--normalize) compares shares.");
	}
	if (lost)
		buf_printf(&hint[1],
		    "%.2g%% of all is in frames too narrow to be kept; searches "
		    "and sums miss it. --all keeps every frame.",
		    number_percent((double)lost, (double)all));
}

double
foot_put(const struct picture *p, double y, bool put)
{
	const weight *total = p->t->nodes[0].total;
	struct buf hint[2] = {BUF_INIT, BUF_INIT}, origin = BUF_INIT;
	const char *notes[5];
	double at = y + put_legend(p, y, put);

	add_hints(p, hint);
	notes[0] =
	    total[0] || total[1] ? NULL : "There are no counts in the input.";
	notes[1] = hint[0].len ? buf_str(&hint[0]) : NULL;
	notes[2] = hint[1].len ? buf_str(&hint[1]) : NULL;
	origin_add(&origin, p->trailer);
	notes[3] = origin.len ? buf_str(&origin) : NULL;
	notes[4] = p->o->notes;
	for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
		if (notes[i] == NULL)
			continue;
		if (put)
			label_put(p, "note", at + PICTURE_NOTE_SIZE,
			    PICTURE_NOTE_SIZE, notes[i]);
		at += NOTE_ROW;
	}
	buf_done(&hint[0]);
	buf_done(&hint[1]);
	buf_done(&origin);
	return at - y;
}
