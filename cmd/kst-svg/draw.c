/* SPDX-License-Identifier: ISC */
/* The document: style, script and texts around the frames. */
#include "draw.h"

#include <stdlib.h>
#include <string.h>

#include "base/out.h"
#include "axis.h"
#include "colour.h"
#include "number.h"
#include "origin.h"
#include "picture.h"
#include "read.h"
#include "strip.h"
#include "svg-script.h"
#include "svg-style.h"
#include "table.h"
#include "text.h"
#include "tree.h"
#include "when.h"

/* Sizes in pixels. */
enum { TITLE_SIZE = 18, SUB_SIZE = 13 };

static void
put_page(const struct picture *p)
{
	struct rgb c = p->o->page;

	if (c.r == 0xff && c.g == 0xff && c.b == 0xff)
		out_puts("#fff");
	else
		out_printf("#%02x%02x%02x", c.r, c.g, c.b);
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
	out_puts("px;--page:");
	put_page(p);
	out_puts("}\n");
	colours_put_css(p->c);
	if (p->when && !p->o->no_script)
		colours_put_change_css();
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
	out_puts("\" font-family=\"");
	text_puts(p->o->font);
	out_puts("\" font-size=\"");
	number_put_px(p->o->font_size);
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
		out_puts(
		    "<metadata><meta xmlns=\"http://www.w3.org/1999/xhtml\" "
		    "name=\"viewport\" content=\"width=device-width,"
		    "initial-scale=1,minimum-scale=1\"/></metadata>\n<script>document.documentElement.classList.add("
		    "'js')</script>\n");
	out_puts("<rect class=\"page\" fill=\"");
	put_page(p);
	out_puts("\" width=\"100%\" height=\"100%\"/>\n");
	label_put(
	    p, "title", PICTURE_PAD + TITLE_SIZE, TITLE_SIZE, p->o->title);
	if (p->o->subtitle)
		label_put(p, "subtitle",
		    PICTURE_PAD + TITLE_SIZE + SUB_SIZE + 5, SUB_SIZE,
		    p->o->subtitle);
}

static void
measure(struct picture *p)
{
	p->inner = p->o->width - 2 * PICTURE_PAD;
	p->top =
	    PICTURE_PAD + TITLE_SIZE + 12 + (p->o->subtitle ? SUB_SIZE + 4 : 0);
	p->strip = p->top;
	if (p->when)
		p->top += strip_height(p->when);
	p->bottom = p->top + (p->l.row_max + 1) * p->o->frame_height + 6;
	if (p->o->flamechart)
		p->bottom += AXIS_HEIGHT;
	p->height = p->bottom + foot_put(p, 0, false) + 4;
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

/* Root frames of a flame chart, kst-folded(5), are tracks. */
static bool
has_tracks(const struct read_result *in)
{
	const char *order = trailer_get(&in->trailer, "order");

	return order && strcmp(order, "time") == 0;
}

void
draw_svg(
    const struct svg_opts *o, const struct read_result *in, struct colours *c)
{
	bool has_time = !o->flamechart && !o->reverse && !in->differential;
	struct when *when =
	    has_time ? when_new(in->tree, &in->trailer, &in->failures) : NULL;
	struct picture p = {.o = o,
	    .t = when ? when->merged : in->tree,
	    .when = when,
	    .c = c,
	    .differential = in->differential,
	    .trailer = &in->trailer,
	    .exact = origin_is_exact(o->countname)};

	layout_init(&p.l, p.t, o, o->flamechart && has_tracks(in));
	frames_find_classes(&p);
	measure(&p);
	put_head(&p);
	if (when)
		strip_put(when, PICTURE_PAD, p.strip, p.inner);
	out_puts("<g id=\"frames\" class=\"f\" fill=\"#111\" stroke-width=\"");
	number_put_px(o->frame_height - 1);
	out_puts("\" data-top=\"");
	number_put_px(p.top);
	out_puts("\">\n");
	frames_put(&p);
	if (o->flamechart)
		axis_put(PICTURE_PAD, p.bottom - 6 - AXIS_HEIGHT, p.inner, 0,
		    p.l.span * 1e-18, o->countname);
	out_puts("</g>\n<g id=\"foot\">\n");
	foot_put(&p, p.bottom, true);
	out_puts("</g>\n");
	if (!o->no_script) {
		table_put(o, in, &p.l, p.name_class, when);
		put_script();
	}
	out_puts("</svg>\n");
	free(p.name_class);
	when_free(when);
	layout_done(&p.l);
}
