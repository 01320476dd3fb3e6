/* SPDX-License-Identifier: ISC */
/* kst-svg: draws folded stacks as a flame graph. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "colour.h"
#include "draw.h"
#include "base/msg.h"
#include "base/opt.h"
#include "base/out.h"
#include "read.h"
#include "svg.h"
#include "tree.h"

static const char help[] =
    "usage: kst-svg [options] [FILE ...]\n"
    "Draws folded stacks as a flame graph: one SVG file on standard output.\n"
    "\n"
    "what is drawn\n"
    "  -i, --inverted          root at the top (icicle)\n"
    "  -r, --reverse           merge from the leaf: callers upward\n"
    "      --flamechart        order as recorded, a time axis\n"
    "      --minwidth N[%]     leave out narrower frames: pixels, or percent "
    "of the\n"
    "                          total; default 0.1 beyond 40000 frames\n"
    "      --all               leave out nothing\n"
    "      --total N           what 100% is, if more than the sum\n"
    "      --differential      two counts on every line, before and after\n"
    "      --plain             never take two numbers as two counts\n"
    "      --normalize         make the totals before and after equal\n"
    "\n"
    "how it looks\n"
    "  -t, --title TEXT        [Flame Graph]\n"
    "      --subtitle TEXT     a line below the title\n"
    "      --notes TEXT        a line below the picture\n"
    "      --countname TEXT    what is counted [samples]\n"
    "      --nametype TEXT     what frames are [Function]\n"
    "  -c, --colors NAME       palette: hot, red, orange, yellow, green, "
    "aqua,\n"
    "                          blue, purple, grey, mem, io, cool, kernel, "
    "rust,\n"
    "                          annotated [hot]\n"
    "      --palette FILE      rules for the colours of names, before the "
    "palette's\n"
    "  -w, --width N           pixels [1200]\n"
    "      --frame-height N    pixels [18, or 1.5 of the font\'s size]\n"
    "      --font NAME         fonts, monospaced for best results\n"
    "      --font-size N       pixels [12]\n"
    "      --link TEMPLATE     address of source, with {file}, {line}, "
    "{name}\n"
    "      --no-script         a picture for paper, without a script\n"
    "\n"
    "  -o, --output FILE       write to FILE\n"
    "  -h, --help              show this help\n"
    "  -V, --version           show the version\n"
    "\n"
    "example: kst-fold trace.txt | kst-svg --title 'My kernel' > fg.svg\n";

enum {
	O_FLAMECHART = 256,
	O_MINWIDTH,
	O_ALL,
	O_TOTAL,
	O_DIFF,
	O_PLAIN,
	O_NORMALIZE,
	O_SUBTITLE,
	O_NOTES,
	O_COUNTNAME,
	O_NAMETYPE,
	O_FRAME_HEIGHT,
	O_FONT,
	O_FONT_SIZE,
	O_NO_SCRIPT,
	O_PALETTE,
	O_LINK
};

static const struct option longs[] = {
    {"inverted", 0, NULL, 'i'},
    {"reverse", 0, NULL, 'r'},
    {"flamechart", 0, NULL, O_FLAMECHART},
    {"minwidth", 1, NULL, O_MINWIDTH},
    {"all", 0, NULL, O_ALL},
    {"total", 1, NULL, O_TOTAL},
    {"differential", 0, NULL, O_DIFF},
    {"plain", 0, NULL, O_PLAIN},
    {"normalize", 0, NULL, O_NORMALIZE},
    {"title", 1, NULL, 't'},
    {"subtitle", 1, NULL, O_SUBTITLE},
    {"notes", 1, NULL, O_NOTES},
    {"countname", 1, NULL, O_COUNTNAME},
    {"nametype", 1, NULL, O_NAMETYPE},
    {"colors", 1, NULL, 'c'},
    {"link", 1, NULL, O_LINK},
    {"palette", 1, NULL, O_PALETTE},
    {"width", 1, NULL, 'w'},
    {"frame-height", 1, NULL, O_FRAME_HEIGHT},
    {"font", 1, NULL, O_FONT},
    {"font-size", 1, NULL, O_FONT_SIZE},
    {"no-script", 0, NULL, O_NO_SCRIPT},
    {"output", 1, NULL, 'o'},
    {"help", 0, NULL, 'h'},
    {"version", 0, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

/* A decimal number in a range. */
static double
opt_number(const char *name, const char *s, double min, double max)
{
	char *end;
	double v = strtod(s, &end);

	if (end == s || *end || !(v >= min && v <= max) ||
	    strspn(s, "0123456789.") != strlen(s))
		msg_die(EXIT_USAGE, "%s: '%s' is not a number from %g to %g",
		    name, msg_str(s), min, max);
	return v;
}

static void
opt_minwidth(struct svg_opts *o, const char *s)
{
	size_t len = strlen(s);

	o->keep_frames = 0;
	if (len && s[len - 1] == '%') {
		char *number = strndup(s, len - 1);

		o->min_share =
		    opt_number("--minwidth", number ? number : "", 0, 100) /
		    100;
		o->min_px = 0;
		free(number);
		return;
	}
	o->min_px = opt_number("--minwidth", s, 0, 10000);
	o->min_share = 0;
}

static weight
opt_weight(const char *name, const char *s)
{
	struct folded_line f;

	if (folded_parse(s, strlen(s), &f) != FOLDED_STACK || f.len != 0)
		msg_die(
		    EXIT_USAGE, "%s: '%s' is not a count", name, msg_str(s));
	return weight_of(&f.count[0]);
}

/*
 * The beginning of an address must not come from the input, and it must not
 * be a program.
 */
static const char *
opt_link(const char *s)
{
	static const char *const good[] = {"https://", "http://", "file://",
	    "vscode://", "idea://", "editor://", "/", "./", "../"};

	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		if (strncasecmp(s, good[i], strlen(good[i])) == 0)
			return s;
	msg_die(EXIT_USAGE,
	    "--link: '%s' is no address such as "
	    "https://host/{file}#L{line}",
	    msg_str(s));
}

/* Fonts go into the style sheet, where some characters would end the rule. */
static void
check_font(const char *s)
{
	if (s[strcspn(s, "{};:\\/@<>")] || s[0] == 0)
		msg_die(
		    EXIT_USAGE, "--font: '%s' is no list of fonts", msg_str(s));
}

/* Where an option's text goes, or NULL. */
static const char **
text_option(struct svg_opts *o, int c)
{
	switch (c) {
	case 't':
		return &o->title;
	case O_SUBTITLE:
		return &o->subtitle;
	case O_NOTES:
		return &o->notes;
	case O_COUNTNAME:
		return &o->countname;
	case O_NAMETYPE:
		return &o->nametype;
	case 'c':
		return &o->colors;
	case O_PALETTE:
		return &o->palette;
	case O_FONT:
		return &o->font;
	default:
		return NULL;
	}
}

/* What an option without an argument switches on, or NULL. */
static bool *
flag_option(struct svg_opts *o, int c)
{
	switch (c) {
	case 'i':
		return &o->inverted;
	case 'r':
		return &o->reverse;
	case O_FLAMECHART:
		return &o->flamechart;
	case O_ALL:
		return &o->all;
	case O_NORMALIZE:
		return &o->normalize;
	case O_NO_SCRIPT:
		return &o->no_script;
	default:
		return NULL;
	}
}

static void
set_option(struct svg_opts *o, int c, const char *arg)
{
	switch (c) {
	case O_MINWIDTH:
		opt_minwidth(o, arg);
		break;
	case O_TOTAL:
		o->total = opt_weight("--total", arg);
		break;
	case O_DIFF:
		o->diff = DIFF_YES;
		break;
	case O_PLAIN:
		o->diff = DIFF_NO;
		break;
	case 'w':
		o->width = opt_number("--width", arg, 100, 100000);
		break;
	case O_FRAME_HEIGHT:
		o->frame_height = opt_number("--frame-height", arg, 4, 200);
		break;
	case O_FONT_SIZE:
		o->font_size = opt_number("--font-size", arg, 4, 100);
		break;
	case O_LINK:
		o->link = opt_link(arg);
		break;
	case 'o':
		if (out_open(arg) != 0) {
			msg_errno("%s", msg_str(arg));
			exit(EXIT_FAILED);
		}
		break;
	case 'h':
		opt_help(help);
	case 'V':
		opt_version();
	default:
		opt_usage();
	}
}

static void
parse_options(struct svg_opts *o, int argc, char **argv)
{
	int c;

	while (
	    (c = getopt_long(argc, argv, "irt:c:w:o:hV", longs, NULL)) != -1) {
		const char **text = text_option(o, c);
		bool *flag = flag_option(o, c);

		if (text)
			*text = optarg;
		else if (flag)
			*flag = true;
		else
			set_option(o, c, optarg);
	}
	check_font(o->font);
	if (o->flamechart && (o->reverse || o->normalize))
		msg_die(EXIT_USAGE, "--flamechart and %s exclude each other",
		    o->reverse ? "--reverse" : "--normalize");
	/* a text is never higher than its frame */
	if (o->frame_height <= 0)
		o->frame_height = o->font_size > 12 ? o->font_size * 1.5 : 18;
	if (o->font_size > o->frame_height - 3)
		o->font_size = o->frame_height - 3;
}

static int
run(const struct svg_opts *o, struct colours *c, char **operands, int n)
{
	struct read_result in = read_folded(o, operands, n);

	if (in.differential)
		colours_by_change(c);
	draw_svg(o, &in, c);
	tree_free(in.tree);
	return in.failed ? EXIT_FAILED : EXIT_OK;
}

int
main(int argc, char **argv)
{
	struct svg_opts o = {
	    .title = "Flame Graph",
	    .countname = "samples",
	    .nametype = "Function",
	    .colors = "hot",
	    .font = "ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace",
	    .width = 1200,
	    .font_size = 12,
	    .min_px = 0.1,
	    .keep_frames = 40000,
	};
	struct colours *c;
	int status;

	msg_init(argv[0]);
	parse_options(&o, argc, argv);
	c = colours_new(o.colors, o.palette);
	if (c == NULL)
		return EXIT_USAGE;
	status = run(&o, c, argv + optind, argc - optind);
	colours_free(c);
	return out_close() == 0 ? status : EXIT_FAILED;
}
