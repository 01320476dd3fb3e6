/* SPDX-License-Identifier: ISC */
/* Options of kst-svg whose values have a form of their own. */
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "opts/opts.h"

int
svg_minwidth_option(void *opts, const char *arg, struct buf *err)
{
	struct svg_opts *o = opts;
	size_t len = strlen(arg);
	bool share = len && arg[len - 1] == '%';
	double v;

	if (num_real(arg, len - share, &v) != 0 || v > (share ? 100 : 10000)) {
		buf_adds(err, "is not a number of pixels or a percentage");
		return -1;
	}
	o->keep_frames = 0;
	o->min_share = share ? v / 100 : 0;
	o->min_px = share ? 0 : v;
	return 0;
}

int
svg_total_option(void *total, const char *arg, struct buf *err)
{
	struct folded_line f;

	if (folded_parse(arg, strlen(arg), &f) != FOLDED_STACK || f.len != 0) {
		buf_adds(err, "is not a count");
		return -1;
	}
	*(struct count *)total = f.count[0];
	return 0;
}

/*
 * The beginning of an address, with the host, must not come from the input, and
 * it must not be a program.
 */
int
svg_link_option(void *link, const char *arg, struct buf *err)
{
	static const char *const good[] = {"https://", "http://", "file://",
	    "vscode://", "idea://", "editor://", "/", "./", "../"};

	*(const char **)link = arg;
	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
		size_t n = strlen(good[i]);

		if (strncasecmp(arg, good[i], n) == 0 &&
		    (strncasecmp(arg, "http", 4) != 0 ||
			arg[n + strcspn(arg + n, "/{")] != '{'))
			return 0;
	}
	buf_adds(err, "is not an address such as https://host/{file}#L{line}");
	return -1;
}

/* Fonts go into the style sheet, where some characters would end the rule. */
int
svg_font_option(void *font, const char *arg, struct buf *err)
{
	*(const char **)font = arg;
	if (arg[0] && arg[strcspn(arg, "{};:\\/@<>")] == 0)
		return 0;
	buf_adds(err, "is not a list of fonts");
	return -1;
}

/* The text around the frames has to be readable on it. */
int
svg_page_option(void *opts, const char *arg, struct buf *err)
{
	static const char *const names[][2] = {{"yellow", "#eeeeb0"},
	    {"blue", "#e0e0ff"}, {"green", "#e0ffe0"}, {"grey", "#e8e8e8"}};
	struct svg_opts *o = opts;
	struct rgb soft;

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
		if (strcmp(arg, names[i][0]) == 0)
			arg = names[i][1];
	if (rgb_parse(arg, strlen(arg), &o->page) != 0) {
		buf_adds(err, "is not yellow, blue, green, grey or #rrggbb");
		return -1;
	}
	rgb_parse(SVG_SOFT, strlen(SVG_SOFT), &soft);
	if (rgb_contrast(soft, o->page) >= 4.5)
		return 0;
	buf_adds(err, "is too dark for the text on it");
	return -1;
}

int
svg_search_option(void *opts, const char *arg, struct buf *err)
{
	struct svg_opts *o = opts;

	o->has_search = true;
	if (rgb_parse(arg, strlen(arg), &o->search) == 0)
		return 0;
	buf_adds(err, "is not a colour such as #e600e6");
	return -1;
}

void
svg_check(struct svg_opts *o)
{
	if (o->frame_height <= 0)
		o->frame_height = o->font_size > 12 ? o->font_size * 1.5 : 18;
	/* a text is never higher than its frame */
	if (o->font_size > o->frame_height - 3)
		o->font_size = o->frame_height - 3;
}
