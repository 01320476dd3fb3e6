/* SPDX-License-Identifier: ISC */
/* One path for each degree of brightness, whatever the number of cells. */
#include "strip.h"

#include <inttypes.h>

#include "axis.h"
#include "base/out.h"
#include "number.h"
#include "when.h"

enum { DEGREES = 8, ROWS_HEIGHT = 84, ROW_MAX = 24, GAP_BELOW = 6 };

/* Of the band above the rows that shows failures, and what lies below it. */
enum { BAND = 4, BAND_GAP = 2 };

static double
row_height(const struct when *w)
{
	double h = (double)ROWS_HEIGHT / w->n_rows;

	return h > ROW_MAX ? ROW_MAX : h;
}

static double
band_height(const struct when *w)
{
	return w->n_failed ? BAND + BAND_GAP : 0;
}

double
strip_height(const struct when *w)
{
	return band_height(w) + row_height(w) * w->n_rows + AXIS_HEIGHT +
	       GAP_BELOW;
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

/* Where samples failed, and for the script in which pieces how many. */
static void
put_failures(const struct when *w, const struct scale *s, double y)
{
	uint64_t sum = 0;

	if (w->n_failed == 0)
		return;
	out_puts("<path class=\"failed\" fill=\"#d1242f\" data-failed=\"");
	for (size_t i = 0; i < w->n_failed; i++) {
		out_printf("%s%" PRIu64 ":%" PRIu64, i ? " " : "",
		    w->failed[i].at, w->failed[i].n);
		if (__builtin_add_overflow(sum, w->failed[i].n, &sum))
			sum = UINT64_MAX;
	}
	out_puts("\" d=\"");
	for (size_t i = 0; i < w->n_failed; i++) {
		double wide = (double)w->width * s->ns;

		out_putc('M');
		number_put_px(
		    s->x + (double)(w->failed[i].at - w->at[0]) * s->ns);
		out_putc(' ');
		number_put_px(y);
		out_putc('h');
		number_put_px(wide < 2 ? 2 : wide);
		out_printf("v%dh-", BAND);
		number_put_px(wide < 2 ? 2 : wide);
		out_putc('z');
	}
	out_printf(
	    "\"><title>%" PRIu64 " samples failed</title></path>\n", sum);
}

void
strip_put(const struct when *w, double x, double y, double width)
{
	uint64_t end = w->end;
	double band = band_height(w);
	const struct scale s = {
	    x, y + band, row_height(w), width / (double)(end - w->at[0])};

	out_puts("<g id=\"strip\" data-y=\"");
	number_put_px(y);
	out_puts("\" data-band=\"");
	number_put_px(band);
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
	put_failures(w, &s, y);
	out_puts("</g>\n");
	axis_put(x, s.y + s.row * w->n_rows + 1, width, (double)w->at[0],
	    (double)end, "ns");
	out_puts("</g>\n");
}
