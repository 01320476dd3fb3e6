/* SPDX-License-Identifier: ISC */
/* One path for each degree of brightness, whatever the number of cells. */
#include "strip.h"

#include "axis.h"
#include "base/out.h"
#include "number.h"
#include "when.h"

enum { DEGREES = 8, ROWS_HEIGHT = 84, ROW_MAX = 24, GAP_BELOW = 6 };

static double
row_height(const struct when *w)
{
	double h = (double)ROWS_HEIGHT / w->n_rows;

	return h > ROW_MAX ? ROW_MAX : h;
}

double
strip_height(const struct when *w)
{
	return row_height(w) * w->n_rows + AXIS_HEIGHT + GAP_BELOW;
}

struct scale {
	double x, y, row, ns; /* ns: pixels for one */
};

/* All cells of a degree, those next to each other as one. */
static void
put_degree(const struct when *w, const struct scale *s, int degree)
{
	for (uint32_t row = 0; row < w->n_rows; row++) {
		double y = s->y + row * s->row;

		for (uint32_t i = 0; i < w->n; i++) {
			uint32_t from = i;
			double busy;

			while (i < w->n &&
			       (i == from ||
				   w->at[i] == w->at[i - 1] + w->width) &&
			       (busy = when_busy(w, row, i)) >= 0 &&
			       (int)(busy * DEGREES + 0.5) == degree)
				i++;
			if (i == from)
				continue;
			i--;
			out_putc('M');
			number_put_px(
			    s->x + (double)(w->at[from] - w->at[0]) * s->ns);
			out_putc(' ');
			number_put_px(y);
			out_putc('h');
			number_put_px(
			    (double)(w->at[i] + w->width - w->at[from]) *
			    s->ns);
			out_putc('v');
			number_put_px(s->row > 4 ? s->row - 1 : s->row);
			out_putc('H');
			number_put_px(
			    s->x + (double)(w->at[from] - w->at[0]) * s->ns);
			out_putc('z');
		}
	}
}

static bool
has_degree(const struct when *w, int degree)
{
	for (uint32_t row = 0; row < w->n_rows; row++)
		for (uint32_t i = 0; i < w->n; i++) {
			double busy = when_busy(w, row, i);

			if (busy >= 0 && (int)(busy * DEGREES + 0.5) == degree)
				return true;
		}
	return false;
}

void
strip_put(const struct when *w, double x, double y, double width)
{
	uint64_t end = w->at[w->n - 1] + w->width;
	const struct scale s = {
	    x, y, row_height(w), width / (double)(end - w->at[0])};

	out_puts("<g id=\"strip\" data-y=\"");
	number_put_px(y);
	out_puts("\" data-rows=\"");
	number_put_px(s.row * w->n_rows);
	out_puts("\" data-height=\"");
	number_put_px(strip_height(w));
	out_puts("\" data-width=\"");
	number_put_px(width);
	out_puts("\">\n<g class=\"cells\">\n");
	for (int k = 0; k <= DEGREES; k++) {
		if (!has_degree(w, k))
			continue;
		out_printf("<path fill=\"#c2410c\" fill-opacity=\"%.3g\" d=\"",
		    0.08 + 0.92 * k / DEGREES);
		put_degree(w, &s, k);
		out_puts("\"/>\n");
	}
	out_puts("</g>\n");
	axis_put(x, y + s.row * w->n_rows + 1, width, (double)w->at[0],
	    (double)end, "ns");
	out_puts("</g>\n");
}
