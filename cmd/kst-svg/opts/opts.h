/* SPDX-License-Identifier: ISC */
/* The user's options, shared by the parts of kst-svg. */
#ifndef OPTS_H
#define OPTS_H

#include <stdbool.h>
#include <stddef.h>

#include "opt/opt.h"
#include "colour/rgb.h"
#include "text/folded.h"

enum svg_diff { DIFF_AUTO, DIFF_NO, DIFF_YES };

struct svg_opts {
	const char *title, *subtitle, *notes;
	const char *subject; /* begins the title of what was counted; or NULL */
	const char *countname; /* NULL: as the input says */
	const char *nametype;
	const char *colors, *palette; /* palette: a file, or NULL */
	const char *elf; /* of the kernel, for its source files; or NULL */
	const char *font;
	const char *idle; /* as --idle; NULL: narrow */
	const char *link; /* template, or NULL */
	double width;
	double frame_height, font_size; /* a text fits into its frame */
	double min_px;	    /* least width of a frame, in pixels … */
	double min_share;   /* … or, if not 0, as a share of the total */
	size_t keep_frames; /* up to so many are kept, however narrow */
	struct count total; /* what 100 % is; 0: the sum of the input */
	enum svg_diff diff;
	bool all, inverted, reverse, flamechart, no_script, normalize, raw;
	bool negate, has_search; /* negate: more is blue */
	struct rgb search;	 /* of matches, if has_search */
	double factor;		 /* of all counts */
	struct opt_list base;	 /* stacks begin at the last of these */
	struct rgb page;	 /* where it is light */
};

/* Colours of text on a light page, as in the style sheet. */
#define SVG_TEXT "#1d2127"
#define SVG_SOFT "#5b6470"

struct buf;

/* Rows of opt.h call these; those with `opts` take all of svg_opts. */
int svg_minwidth_option(void *opts, const char *arg, struct buf *err);
int svg_total_option(void *total, const char *arg, struct buf *err);
int svg_link_option(void *link, const char *arg, struct buf *err);
int svg_page_option(void *opts, const char *arg, struct buf *err);
int svg_search_option(void *opts, const char *arg, struct buf *err);
int svg_font_option(void *font, const char *arg, struct buf *err);

/* Ends the command where options contradict each other; fits the text. */
void svg_check(struct svg_opts *o);

#endif
