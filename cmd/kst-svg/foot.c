/* SPDX-License-Identifier: ISC */
/* Labels, and the notes below the picture. */
#include <string.h>

#include "number.h"
#include "origin.h"
#include "base/buf.h"
#include "base/out.h"
#include "picture.h"
#include "text.h"
#include "tree.h"

enum { NOTE_ROW = PICTURE_NOTE_SIZE + 6 };

void
label_put(const struct picture *p, const char *class, double y, double size,
    const char *s)
{
	size_t len = strlen(s);
	unsigned room = (unsigned)(p->inner / size * 100);
	bool is_title = strcmp(class, "title") == 0;

	out_printf("<text class=\"%s\" fill=\"%s\" font-size=\"%g\"%s x=\"%d\" "
		   "y=\"",
	    class, is_title ? PICTURE_TEXT : PICTURE_SOFT, size,
	    is_title ? " font-weight=\"600\"" : "", PICTURE_PAD);
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

/* A weight of frames that are not in the tree. */
static weight
lost_weight(const struct tree *t, int k)
{
	weight lost = tree_total(t, 0, k);

	for (uint32_t i = 0; i < t->n && (k == 0 || t->more); i++)
		lost -= tree_self(t, i, k);
	return lost;
}

/* What a reader has to know of the numbers. */
static void
add_hints(const struct picture *p, struct buf hint[2])
{
	const weight total[2] = {
	    tree_total(p->t, 0, 0), tree_total(p->t, 0, 1)};
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
	const weight total[2] = {
	    tree_total(p->t, 0, 0), tree_total(p->t, 0, 1)};
	struct buf hint[2] = {BUF_INIT, BUF_INIT}, origin = BUF_INIT;
	const char *notes[5];
	double at = y + legend_put(p, y, put);

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
