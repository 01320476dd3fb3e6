/* SPDX-License-Identifier: ISC */
/* kst-svg: draws folded stacks as a flame graph. */
#include <unistd.h>

#include "base/msg.h"
#include "opt/opt.h"
#include "io/out.h"
#include "io/whole.h"
#include "colour/colour.h"
#include "paint/draw.h"
#include "opts/opts.h"
#include "source/source.h"

static const char MAP[] = "palette.map"; /* flamegraph.pl's, for --cp */

struct options {
	struct svg_opts svg;
	const char *output, *encoding, *ignored_file;
	bool force, partial;
	bool cp, ignored;
	double font_width; /* ignored, as these are */
};

static const struct opt rows[] = {{.help = "What is drawn"},
    {'i', "inverted", NULL, "draw the root on top", OPT_FLAG(svg.inverted)},
    {'r', "reverse", NULL, "merge from the leaf: callers upward",
	OPT_FLAG(svg.reverse)},
    {0, "flamechart", NULL, "keep the recorded order; a time axis",
	OPT_FLAG(svg.flamechart), .conflicts = "reverse normalize"},
    {0, "minwidth", "N[%]",
	"leave out narrower frames [none; 0.1 pixels above 1000000 frames]",
	OPT_CALL(svg, svg_minwidth_option)},
    {0, "all", NULL, "draw all frames, however narrow", OPT_FLAG(svg.all)},
    {0, "total", "N", "use N as 100 %, if it is more than the sum",
	OPT_CALL(svg.total, svg_total_option)},
    {0, "differential", NULL, "read two counts on every line",
	OPT_SET(svg.diff, DIFF_YES)},
    {0, "plain", NULL, "not differential: names may end in a number",
	OPT_SET(svg.diff, DIFF_NO)},
    {0, "normalize", NULL, "compare shares; the default for samples",
	OPT_FLAG(svg.normalize)},
    {0, "no-normalize", NULL, "compare counts, whatever the totals",
	OPT_FLAG(svg.raw), .conflicts = "normalize"},
    {.help = "How it looks"},
    {'t', "title", "TEXT", "the title", OPT_TEXT(svg.title)},
    {0, "subject", "TEXT", "what was sampled: begins the title",
	OPT_TEXT(svg.subject), .conflicts = "title"},
    {0, "subtitle", "TEXT", "a line below the title", OPT_TEXT(svg.subtitle)},
    {0, "notes", "TEXT", "a line below the picture", OPT_TEXT(svg.notes)},
    {0, "countname", "TEXT", "what is counted [as the input says]",
	OPT_TEXT(svg.countname)},
    {0, "nametype", "TEXT", "what frames are", OPT_TEXT(svg.nametype)},
    {'c', "colors", "NAME", "the palette [by the names]",
	OPT_WORD(svg.colors,
	    "calm hot red orange yellow green aqua blue purple "
	    "grey mem io cool wakeup chain java js perl "
	    "python kernel rust source annotated")},
    {'e', "elf", "FILE", "colours by its source", OPT_TEXT(svg.elf)},
    {0, "palette", "FILE", "rules that come before the palette's",
	OPT_TEXT(svg.palette)},
    {0, "idle", "HOW", "how wide idle CPUs are: narrow or wide, to scale",
	OPT_WORD(svg.idle, "narrow wide")},
    {'w', "width", "N", "width in pixels", OPT_REAL(svg.width, 100, 100000)},
    {0, "frame-height", "N", "frame height [18, or 1.5 times the font's size]",
	OPT_REAL(svg.frame_height, 4, 200)},
    {0, "font", "NAME", "fonts, monospaced for best results",
	OPT_CALL(svg.font, svg_font_option)},
    {0, "font-size", "N", "font size in pixels",
	OPT_REAL(svg.font_size, 4, 100)},
    {0, "link", "TEMPLATE", "address of source, with {file}, {line}, {name}",
	OPT_CALL(svg.link, svg_link_option)},
    {0, "no-script", NULL, "write no script: a picture for paper",
	OPT_FLAG(svg.no_script)},
    {.help = "As in flamegraph.pl and inferno"},
    {0, "flame-chart", NULL, "as --flamechart", OPT_FLAG(svg.flamechart),
	.conflicts = "reverse normalize"},
    {0, "min-width", "N[%]", "--minwidth", OPT_CALL(svg, svg_minwidth_option)},
    {0, "height", "N", "--frame-height", OPT_REAL(svg.frame_height, 4, 200)},
    {0, "fonttype", "NAME", "--font", OPT_CALL(svg.font, svg_font_option)},
    {0, "fontsize", "N", "--font-size", OPT_REAL(svg.font_size, 4, 100)},
    {0, "fontwidth", "N", "ignored", OPT_REAL(font_width, 0, 10)},
    {0, "nameattr", "FILE", "ignored: see --link", OPT_TEXT(ignored_file)},
    {0, "bgcolors", "COLOUR", "page: yellow, blue, green, grey, #rrggbb",
	OPT_CALL(svg, svg_page_option)},
    {0, "hash", NULL, "no effect: colours go by name", OPT_FLAG(ignored)},
    {0, "cp", NULL, "use palette.map, if there is one", OPT_FLAG(cp)},
    {0, "negate", NULL, "more is blue, less orange", OPT_FLAG(svg.negate)},
    {0, "factor", "N", "multiply all counts", OPT_REAL(svg.factor, 1e-9, 1e9)},
    {0, "encoding", "NAME", "only UTF-8, which is always used",
	OPT_WORD(encoding, "UTF-8 utf-8 UTF8 utf8")},
    {0, "no-sort", NULL, "no effect: sorted input is not sorted again",
	OPT_FLAG(ignored)},
    {0, "search-color", "COLOUR", "colour of frames that are found: #rrggbb",
	OPT_CALL(svg, svg_search_option)},
    {0, "base", "NAME",
	"draw only stacks with this frame, from the one nearest to the leaf",
	OPT_LIST(svg.base)},
    {.help = "Other options"},
    {'o', "output", "FILE", "write to FILE", OPT_TEXT(output)},
    {0, "force", NULL, "replace a FILE that kst did not write",
	OPT_FLAG(force)},
    {0, "partial", NULL, "replace FILE even if an input was damaged or missing",
	OPT_FLAG(partial)},
    {0}};

static const struct opt_page page = {.synopsis = "[options] [FILE ...]",
    .about = "Draws folded stacks, or those of trace text, as a flame graph: "
	     "one SVG file on standard output.",
    .rows = rows,
    .examples = "kst-fold trace.txt | kst-svg --title 'My kernel' > fg.svg\n"};

int
main(int argc, char **argv)
{
	struct options o = {
	    .svg = {.title = "Flame Graph",
		.nametype = "Function",
		.font =
		    "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace",
		.width = 1200,
		.font_size = 12,
		.factor = 1,
		.page = {0xff, 0xff, 0xff},
		.min_px = 0.1,
		.keep_frames = 1000000},
	};
	struct colours *c = NULL; /* as the names are */
	int first, status;

	msg_init(argv[0]);
	first = opt_read(&page, &o, argc, argv);
	svg_check(&o.svg);
	if (o.cp && o.svg.palette == NULL && access(MAP, R_OK) == 0)
		o.svg.palette = MAP;
	if ((o.svg.colors || o.svg.palette) &&
	    (c = colours_new(o.svg.colors, o.svg.palette)) == NULL)
		return msg_status(EXIT_USAGE);
	status = out_open(&(struct out_file){.path = o.output,
	    .mark = MARK_SVG,
	    .inputs = argv + first,
	    .n_inputs = argc - first,
	    .force = o.force,
	    .partial = o.partial});
	if (status == EXIT_OK)
		status = draw_run(&o.svg, &c, argv + first, argc - first);
	colours_free(c);
	opt_list_done(&o.svg.base);
	return source_status(out_end(status));
}
