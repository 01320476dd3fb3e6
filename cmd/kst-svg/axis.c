/* SPDX-License-Identifier: ISC */
#include "axis.h"

#include <math.h>

#include "number.h"
#include "origin.h"
#include "base/out.h"

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
	double step, whole = hi - lo, ns = origin_unit_ns(countname);

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
