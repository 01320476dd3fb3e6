/* SPDX-License-Identifier: ISC */
#include "paint/strip.h"

#include <inttypes.h>
#include <math.h>

#include "base/out.h"
#include "paint/number.h"
#include "frames/when.h"

static void
put_tick(double v, double ns_of_one)
{
	double ns = v * ns_of_one;

	if (ns_of_one == 0)
		out_printf("%.12g", v);
	else if (v == 0)
		out_puts("0");
	else if (ns >= 1e9)
		out_printf("%.9g s", ns / 1e9);
	else if (ns >= 1e6)
		out_printf("%.9g ms", ns / 1e6);
	else if (ns >= 1e3)
		out_printf("%.9g µs", ns / 1e3);
	else
		out_printf("%.9g ns", ns);
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
axis_put(double x, double y, double width, double lo, double hi,
    const char *countname)
{
	double step, whole = hi - lo, ns = number_unit_ns(countname);

	if (!(whole > 0))
		return;
	step = nice_step(whole * 110 / width);
	out_puts("<g class=\"axis\" stroke-width=\"1\" font-size=\"11\">\n");
	for (double n = ceil(lo / step); n * step <= hi; n++) {
		double at = x + (n * step - lo) / whole * width;
		int last = at > x + width - 40;

		px_printf("<path d=\"M~ ~v6\" stroke=\"#5b6470\"/>"
			  "<text fill=\"#5b6470\" x=\"~\" y=\"~",
		    at, y, at + (last ? -3 : 3), y + 13);
		out_puts(last ? "\" text-anchor=\"end\">" : "\">");
		put_tick(n * step, ns);
		out_puts("</text>\n");
	}
	out_puts("</g>\n");
}

/* The strip: one path for each degree of brightness, whatever its cells. */
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

/* -1 where nothing is known. */
static int
degree_of(const struct when *w, uint32_t row, uint32_t piece)
{
	double busy = when_busy(w, row, piece);

	return busy < 0 ? -1 : (int)(busy * DEGREES + 0.5);
}

static double
x_of(const struct when *w, const struct scale *s, uint64_t at)
{
	return s->x + (double)(at - w->at[0]) * s->ns;
}

/* All cells of a degree, those next to each other as one. */
static void
put_degree(const struct when *w, const struct scale *s, int degree)
{
	bool any = false;

	for (uint32_t row = 0; row < w->n_rows; row++)
		for (uint32_t i = 0; i < w->n;) {
			uint64_t at = w->at[i], end = at;

			if (degree_of(w, row, i) != degree) {
				i++;
				continue;
			}
			for (; i < w->n && w->at[i] == end &&
			       degree_of(w, row, i) == degree;
			     i++)
				end += w->width;
			if (!any)
				out_printf("<path fill=\"#c2410c\" "
					   "fill-opacity=\"%.3g\" d=\"",
				    0.08 + 0.92 * degree / DEGREES);
			any = true;
			px_printf("M~ ~h~v~H~z", x_of(w, s, at),
			    s->y + row * s->row, (double)(end - at) * s->ns,
			    s->row > 4 ? s->row - 1 : s->row, x_of(w, s, at));
		}
	if (any)
		out_puts("\"/>\n");
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

		wide = wide < 2 ? 2 : wide;
		px_printf("M~ ~h~v~h-~z", x_of(w, s, w->failed[i].at), y, wide,
		    BAND, wide);
	}
	out_printf(
	    "\"><title>%" PRIu64 " samples failed</title></path>\n", sum);
}

void
strip_put(const struct when *w, double x, double y, double width)
{
	double band = band_height(w);
	const struct scale s = {
	    x, y + band, row_height(w), width / (double)(w->end - w->at[0])};

	px_printf("<g id=\"strip\" data-y=\"~\" data-band=\"~\" "
		  "data-rows=\"~\" data-height=\"~\" data-width=\"~\">\n"
		  "<g class=\"cells\">\n",
	    y, band, s.row * w->n_rows, strip_height(w), width);
	for (int k = 0; k <= DEGREES; k++)
		put_degree(w, &s, k);
	put_failures(w, &s, y);
	out_puts("</g>\n");
	axis_put(x, s.y + s.row * w->n_rows + 1, width, (double)w->at[0],
	    (double)w->end, "ns");
	out_puts("</g>\n");
}
