/* SPDX-License-Identifier: ISC */
/* The document: style, script and texts around the frames. */
#include "paint/draw.h"

#include <stdlib.h>
#include <string.h>

#include "set/intern.h"
#include "base/buf.h"
#include "base/bytes.h"
#include "base/num.h"
#include "io/out.h"
#include "rights/rights.h"
#include "colour/colour.h"
#include "names/name.h"
#include "paint/number.h"
#include "paint/paint.h"
#include "read/read.h"
#include "svg-script.h"
#include "svg-style.h"
#include "paint/text.h"
#include "frames/merge.h"
#include "frames/name.h"
#include "frames/tree.h"
#include "source/source.h"

/* Sizes in pixels. */
enum { TITLE_SIZE = 18, SUB_SIZE = 13 };

static void
put_style(const struct picture *p, const char *page)
{
	/* others, such as resvg and CairoSVG, go by the attributes alone */
	out_puts("<style>\n@supports(color:var(--page)){\n");
	out_puts(svg_style);
	out_puts("svg{font-family:");
	text_puts(p->o->font);
	px_printf(";font-size:~px;--page:", p->o->font_size);
	out_printf("%s}\n", page);
	colours_put_css(p->c, 'c');
	if (p->piece && !p->o->no_script) { /* of two ranges of time */
		struct colours *changes = colours_of_changes(false);

		colours_put_css(changes, 'd');
		colours_free(changes);
	}
	if (p->o->has_search) {
		const char *text = rgb_text_on(p->o->search);

		out_printf(".f .match{color:%s}.f .match+text{fill:%s}\n",
		    RGB_TEXT(p->o->search), text ? text : "#111");
	}
	out_puts("}\n</style>\n");
}

static void
put_head(const struct picture *p)
{
	const char *page = RGB_TEXT(p->o->page);

	if (strcmp(page, "#ffffff") == 0)
		page = "#fff";
	px_printf("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"~\" "
		  "height=\"~\" viewBox=\"0 0 ~ ~\" font-family=\"",
	    p->o->width, p->height, p->o->width, p->height);
	text_puts(p->o->font);
	px_printf("\" font-size=\"~\">\n<title>", p->o->font_size);
	text_puts(p->o->title);
	out_puts("</title>\n");
	if (p->o->notes) {
		out_puts("<desc>");
		text_puts(p->o->notes);
		out_puts("</desc>\n");
	}
	put_style(p, page);
	if (!p->o->no_script) /* it will draw anew: once is enough */
		out_puts("<script>if(document.documentElement.localName==="
			 "'svg')document.documentElement.classList.add('js')"
			 "</script>\n");
	out_printf("<rect class=\"page\" fill=\"%s\" width=\"100%%\" "
		   "height=\"100%%\"/>\n",
	    page);
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
	p->bottom = p->top + (p->row_max + 1) * p->o->frame_height + 6;
	if (p->o->flamechart)
		p->bottom += AXIS_HEIGHT;
	p->height = p->bottom + foot_put(p, 0, false) + 4;
}

static void
put_script(void)
{
	out_puts("<script><![CDATA[\n(function () {\n'use strict';\n");
	out_puts(svg_script);
	out_puts(
	    "try { start(); } finally {\n"
	    "document.querySelector('svg.js:root')?.classList.remove('js');"
	    " }\n})();\n]]></script>\n");
}

/* The length of pieces of time in ns, as the trailer or they say; 0: none. */
static uint64_t
piece_of(const struct read_result *in)
{
	const char *said = trailer_get(&in->trailer, "piece");
	uint64_t apart = tree_piece(in->tree), ns;

	return apart && said && num_seconds(said, strlen(said), &ns) == 0 &&
		       ns > 0 && ns <= apart
		   ? ns
		   : apart;
}

void
draw_svg(
    const struct svg_opts *o, const struct read_result *in, struct colours *c)
{
	uint64_t piece =
	    o->flamechart || o->reverse || in->differential ? 0 : piece_of(in);
	const char *order = trailer_get(&in->trailer, "order");
	struct tree *apart,
	    *timeless =
		piece ? tree_merge(in->tree, tree_has_cpus(in->tree) ? 2 : 1)
		      : NULL;
	struct picture p = {.o = o,
	    .t = timeless ? timeless : in->tree,
	    .c = c,
	    .piece = piece,
	    .in = in,
	    .exact = number_is_exact(o->countname),
	    /* root frames of a flame chart, kst-folded(5) */
	    .tracks = o->flamechart && order && strcmp(order, "time") == 0};

	p.certain = p.exact || trailer_get(&in->trailer, "exact");
	frames_find_classes(&p);
	apart = idle_by_names(&p);
	layout_find(&p);
	measure(&p);
	put_head(&p);
	px_printf("<g id=\"frames\" class=\"f\" fill=\"#111\" "
		  "stroke-width=\"~\" data-top=\"~\">\n",
	    o->frame_height - 1, p.top);
	frames_put(&p);
	if (o->flamechart)
		axis_put(&p, p.span * 1e-18);
	out_puts("</g>\n<g id=\"foot\">\n");
	foot_put(&p, p.bottom, true);
	out_puts("</g>\n");
	if (!o->no_script) {
		table_put(&p);
		put_script();
	}
	out_puts("</svg>\n");
	free(p.name_class);
	free(p.x);
	free(p.idle);
	free(p.width);
	free(p.row);
	tree_free(apart);
	tree_free(timeless);
}

/* What a name says of the system that has it. */
enum system { SYSTEM_ANY, SYSTEM_KERNEL, SYSTEM_LINUX };

static enum system
system_of(const char *name, size_t len)
{
	static const struct {
		const char *name;
		size_t len;
		enum system system;
	} v[] = {{"halted", 6, SYSTEM_KERNEL},
	    {"start_kernel", 12, SYSTEM_LINUX}, {"kthread", 7, SYSTEM_LINUX},
	    {"el0_svc", 7, SYSTEM_LINUX}, {"do_syscall_64", 13, SYSTEM_LINUX},
	    {"cpu_startup_entry", 17, SYSTEM_LINUX}};

	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		if (len == v[i].len && memcmp(name, v[i].name, len) == 0)
			return v[i].system;
	return bytes_starts(name, len, "CPU#") ? SYSTEM_KERNEL : SYSTEM_ANY;
}

/* The palette for these names, if the user asks for none. */
static const char *
usual_palette(const struct tree *t, enum system *system)
{
	uint32_t n = intern_count(t->names), kernel = 0, marked = 0;
	bool is_rust = false;

	for (uint32_t i = 0; i < n; i++) {
		size_t len;
		const char *name = intern_str(t->names, i, &len);

		if (name_annotation(name, len)) {
			marked++;
			kernel += name[len - 2] == 'k';
		}
		if (system_of(name, len) > *system)
			*system = system_of(name, len);
		is_rust = is_rust || bytes_starts(name, len, "core::");
	}
	if (marked)
		return kernel >= n * 0.9 ? "kernel" : "annotated";
	return *system ? "kernel" : is_rust ? "rust" : PALETTE_USUAL;
}

/* Whether the palette knows of what kind a name is, in one of four of them. */
static bool
knows_names(struct colours *c, const struct tree *t)
{
	enum { LOOKED_AT = 256 };
	uint32_t n = intern_count(t->names), step = n / LOOKED_AT + 1;
	uint32_t known = 0, all = 0;

	for (uint32_t i = 0; i < n; i += step) {
		size_t len;
		const char *name = intern_str(t->names, i, &len);

		if (!frame_is_named(name, len))
			continue;
		known += palette_kind(c, name, len) != c->other;
		all++;
	}
	return known >= all / 4;
}

/*
 * The colours for these names: by subsystem, as Linux' names tell it, by the
 * source, or by module.
 */
static struct colours *
usual_colours(const struct svg_opts *o, const struct tree *t)
{
	enum system system = SYSTEM_ANY;
	const char *name = usual_palette(t, &system);
	const bool is_kernel = strcmp(name, "kernel") == 0;
	struct colours *c;

	if (o->elf && system != SYSTEM_LINUX &&
	    (is_kernel || strcmp(name, PALETTE_USUAL) == 0)) {
		c = colours_new("source", NULL);
		if (source_colour(c, t))
			return c;
		colours_free(c);
	}
	c = colours_new(name, NULL);
	if (!is_kernel || knows_names(c, t))
		return c;
	colours_free(c);
	return colours_new("calm", NULL);
}

int
draw_run(const struct svg_opts *o, struct colours **c, char **operands, int n)
{
	struct svg_opts with = *o;
	struct buf title = BUF_INIT;
	struct read_result in;

	rights_keep(&(struct rights){.reads = operands,
	    .n_reads = n,
	    .awaits = o->elf ? source_start(o->elf) : 0});
	in = read_folded(o, operands, n);
	if (with.countname == NULL)
		with.countname = trailer_get(&in.trailer, "unit");
	if (with.countname == NULL)
		with.countname =
		    trailer_mixed(&in.trailer) ? "counts" : "samples";
	if (o->subject) {
		buf_adds(&title, o->subject);
		number_add_title(&title, &in.trailer);
		with.title = buf_str(&title);
	}
	if (o->elf && o->colors && strcmp(o->colors, "source") == 0)
		source_colour(*c, in.tree);
	if (*c == NULL)
		*c = usual_colours(o, in.tree);
	if (in.differential) {
		bool annotates = (*c)->annotates;

		colours_free(*c);
		*c = colours_of_changes(o->negate);
		(*c)->annotates = annotates;
		with.normalize |= !o->flamechart && !o->raw &&
				  !number_is_exact(with.countname) &&
				  !trailer_get(&in.trailer, "exact");
	}
	draw_svg(&with, &in, *c);
	tree_free(in.tree);
	failures_done(&in.failures);
	buf_done(&title);
	return in.failed ? EXIT_FAILED : EXIT_OK;
}
