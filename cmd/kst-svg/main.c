/* SPDX-License-Identifier: ISC */
/* kst-svg: draws folded stacks as a flame graph. */
#include <string.h>

#include "colour.h"
#include "draw.h"
#include "base/msg.h"
#include "base/opt.h"
#include "base/out.h"
#include "read.h"
#include "svg.h"
#include "tree.h"

struct options {
	struct svg_opts svg;
	const char *output;
};

static const struct opt rows[] = {{.help = "What is drawn"},
    {'i', "inverted", NULL, "root at the top (icicle)", OPT_FLAG(svg.inverted)},
    {'r', "reverse", NULL, "merge from the leaf: callers upward",
	OPT_FLAG(svg.reverse)},
    {0, "flamechart", NULL, "order as recorded, a time axis",
	OPT_FLAG(svg.flamechart)},
    {0, "minwidth", "N[%]",
	"leave out narrower frames: pixels, or percent of the total; without "
	"this, 0.1 pixels beyond 80000 frames",
	OPT_CALL(svg, svg_minwidth_option)},
    {0, "all", NULL, "leave out nothing", OPT_FLAG(svg.all)},
    {0, "total", "N", "what 100% is, if more than the sum",
	OPT_CALL(svg.total, svg_total_option)},
    {0, "differential", NULL, "two counts on every line, before and after",
	OPT_SET(svg.diff, DIFF_YES)},
    {0, "plain", NULL, "never take two numbers as two counts",
	OPT_SET(svg.diff, DIFF_NO)},
    {0, "normalize", NULL, "make the totals before and after equal",
	OPT_FLAG(svg.normalize)},
    {.help = "How it looks"},
    {'t', "title", "TEXT", "the title", OPT_TEXT(svg.title)},
    {0, "subtitle", "TEXT", "a line below the title", OPT_TEXT(svg.subtitle)},
    {0, "notes", "TEXT", "a line below the picture", OPT_TEXT(svg.notes)},
    {0, "countname", "TEXT",
	"what is counted; else the input says it, or samples",
	OPT_TEXT(svg.countname)},
    {0, "nametype", "TEXT", "what frames are", OPT_TEXT(svg.nametype)},
    {'c', "colors", "NAME", "the palette",
	OPT_WORD(svg.colors, "hot red orange yellow green aqua blue purple "
			     "grey mem io cool kernel rust annotated")},
    {0, "palette", "FILE",
	"rules for the colours of names, before the palette's",
	OPT_TEXT(svg.palette)},
    {'w', "width", "N", "pixels", OPT_REAL(svg.width, 100, 100000)},
    {0, "frame-height", "N", "pixels; 18, or 1.5 of the font's size",
	OPT_REAL(svg.frame_height, 4, 200)},
    {0, "font", "NAME", "fonts, monospaced for best results",
	OPT_CALL(svg.font, svg_font_option)},
    {0, "font-size", "N", "pixels", OPT_REAL(svg.font_size, 4, 100)},
    {0, "link", "TEMPLATE", "address of source, with {file}, {line}, {name}",
	OPT_CALL(svg.link, svg_link_option)},
    {0, "no-script", NULL, "a picture for paper, without a script",
	OPT_FLAG(svg.no_script)},
    {.help = "Other options"},
    {'o', "output", "FILE", "write to FILE", OPT_TEXT(output)}, {0}};

static const struct opt_page page = {.synopsis = "[options] [FILE ...]",
    .about = "Draws folded stacks as a flame graph: one SVG file on standard "
	     "output.",
    .rows = rows,
    .examples = "kst-fold trace.txt | kst-svg --title 'My kernel' > fg.svg\n"};

static int
run(const struct svg_opts *o, struct colours *c, char **operands, int n)
{
	struct read_result in = read_folded(o, operands, n);
	struct svg_opts with = *o;

	if (with.countname == NULL)
		with.countname = trailer_get(&in.trailer, "unit");
	if (with.countname == NULL)
		with.countname =
		    trailer_mixed(&in.trailer) ? "counts" : "samples";
	if (in.differential)
		colours_by_change(c);
	draw_svg(&with, &in, c);
	tree_free(in.tree);
	return in.failed ? EXIT_FAILED : EXIT_OK;
}

int
main(int argc, char **argv)
{
	struct options o = {
	    .svg = {.title = "Flame Graph",
		.nametype = "Function",
		.colors = "hot",
		.font =
		    "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace",
		.width = 1200,
		.font_size = 12,
		.min_px = 0.1,
		.keep_frames = 80000},
	};
	struct colours *c;
	int first, status = EXIT_FAILED;

	msg_init(argv[0]);
	first = opt_read(&page, &o, argc, argv);
	svg_check(&o.svg);
	c = colours_new(o.svg.colors, o.svg.palette);
	if (c == NULL)
		return EXIT_USAGE;
	if (o.output && out_open(o.output) != 0)
		msg_errno("%s", msg_str(o.output));
	else
		status = run(&o.svg, c, argv + first, argc - first);
	colours_free(c);
	return out_close() == 0 ? status : EXIT_SYSTEM;
}
