/* SPDX-License-Identifier: ISC */
/*
 * The data that the script draws from, as elements of the namespace urn:kst
 * inside <metadata>. Long texts are split over several elements, so that no
 * XML parser's limit on one text is met; the script joins them.
 *
 *   <k:options .../>  what the user asked for, and how the data is to be
 *                     read, as attributes
 *   <k:names>         each name and a line feed; the first is number 0
 *   <k:classes>       the colour class of each name: numbers
 *   <k:nodes>         for each node, parents first: numbers
 *                       up    how many levels above the last node's child
 *                       name
 *                       self and rest, for each of the counts: of stacks
 *                             that end here, and of frames left out here
 *                       step  in a chart: its start after the last node's
 *                       place if the input was not in order: how many stacks
 *                             after its caller it was first seen
 *
 *   <k:functions>     if frames were left out, names and line feeds: what has
 *                     so much weight that it is told all the same
 *   <k:sums>          for each of them its class, and its self and total, or
 *                     both totals: numbers
 *
 * A number is written in digits of 5 bits, the highest first; a digit is the
 * character 63 + digit, and 32 more if others follow. None of these is
 * special in XML. Weights are in units of 10^-decimals.
 */

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "colour/colour.h"
#include "set/intern.h"
#include "paint/picture.h"
#include "paint/number.h"
#include "io/out.h"
#include "read/read.h"
#include "paint/text.h"
#include "frames/tree.h"
#include "base/xalloc.h"

/* Bytes of text after which a new element is begun. */
enum { CHUNK = 1 << 20 };

struct chunks {
	const char *element;
	size_t n;
};

static void
chunk_begin(struct chunks *c, const char *element)
{
	c->element = element;
	c->n = 0;
	out_printf("<k:%s>", element);
}

static void
chunk_add(struct chunks *c, size_t n)
{
	c->n += n;
	if (c->n < CHUNK)
		return;
	out_printf("</k:%s>\n<k:%s>", c->element, c->element);
	c->n = 0;
}

static void
chunk_end(struct chunks *c)
{
	out_printf("</k:%s>\n", c->element);
}

static void
put_number(struct chunks *c, weight v)
{
	char text[32], *at = text + sizeof text;
	unsigned more = 0;
	uint64_t low;

	for (; v >> 64; v >>= 5, more = 32)
		*--at = (char)(63 + more + (unsigned)(v & 31));
	for (low = (uint64_t)v; low || more == 0; low >>= 5, more = 32)
		*--at = (char)(63 + more + (unsigned)(low & 31));
	out_put(at, (size_t)(text + sizeof text - at));
	chunk_add(c, (size_t)(text + sizeof text - at));
}

/* How many decimals all weights need, and the unit that makes. */
static int
find_decimals(const struct tree *t, bool chart, weight *unit)
{
	int decimals = 0;

	*unit = WEIGHT_ONE;
	for (uint32_t i = 0; t->more && i < t->n; i++)
		for (int k = 0; k < 2; k++)
			while (tree_total(t, i, k) % *unit ||
			       tree_self(t, i, k) % *unit ||
			       (chart && tree_at(t, i) % *unit)) {
				*unit /= 10;
				decimals++;
			}
	return decimals;
}

static void
put_names(const struct tree *t)
{
	struct chunks c;
	uint32_t n = intern_count(t->names);

	chunk_begin(&c, "names");
	for (uint32_t i = 0; i < n; i++) {
		size_t len;
		const char *p = intern_str(t->names, i, &len);

		text_put(p, len);
		out_putc('\n');
		chunk_add(&c, len + 1);
	}
	chunk_end(&c);
}

static void
put_classes(const struct tree *t, const unsigned *name_class)
{
	struct chunks c;
	uint32_t n = intern_count(t->names);

	chunk_begin(&c, "classes");
	for (uint32_t i = 0; i < n; i++) /* pieces of time have none */
		put_number(&c, name_class[i] == UINT32_MAX ? 0 : name_class[i]);
	chunk_end(&c);
}

/* The weight of a node's children that were left out. */
static weight
rest_of(const struct tree *t, uint32_t i, int k)
{
	weight rest = tree_total(t, i, k) - tree_self(t, i, k);

	for (uint32_t c = i + 1; c < t->nodes[i].end; c = t->nodes[c].end)
		rest -= tree_total(t, c, k);
	return rest;
}

static void
put_nodes(
    const struct tree *t, weight unit, int counts, bool chart, bool places)
{
	weight *begin = xcalloc((size_t)t->depth_max + 2, sizeof *begin),
	       at = 0;
	uint32_t depth = 0;
	struct chunks c;

	chunk_begin(&c, "nodes");
	for (uint32_t i = 0; i < t->n; i++) {
		const struct node *n = &t->nodes[i];

		put_number(&c, i ? depth + 1 - n->depth : 0);
		put_number(&c, n->name);
		for (int k = 0; k < counts; k++) {
			put_number(&c, weight_div(tree_self(t, i, k), unit));
			put_number(&c, weight_div(rest_of(t, i, k), unit));
		}
		if (chart) {
			put_number(&c, (tree_at(t, i) - at) / unit);
			at = tree_at(t, i);
		}
		/* begin: of the node, above those of its callers */
		begin[n->depth + 1] = tree_at(t, i);
		if (places)
			put_number(&c,
			    weight_div(begin[n->depth + 1] - begin[n->depth],
				WEIGHT_ONE));
		depth = n->depth;
	}
	chunk_end(&c);
	free(begin);
}

/* Of a function: self and total or, of two counts, both totals. */
static void
sums_of(const struct picture *p, const struct sum *s, weight of[2])
{
	of[0] = p->in->differential ? s->total[0] : s->self;
	of[1] = s->total[p->in->differential];
}

/* Whether the function is worth a row of a table. */
static bool
is_told(const struct picture *p, const struct sums *s, uint32_t i)
{
	weight of[2];

	sums_of(p, &s->v[i], of);
	return (double)(of[0] + of[1]) >= s->least;
}

static void
put_sums(const struct picture *p, const struct sums *s, weight unit)
{
	uint32_t n = intern_count(s->names);
	struct chunks c;
	size_t len;

	chunk_begin(&c, "functions");
	for (uint32_t i = 0; i < n; i++) {
		const char *name = intern_str(s->names, i, &len);

		if (!is_told(p, s, i))
			continue;
		text_put(name, len);
		out_putc('\n');
		chunk_add(&c, len + 1);
	}
	chunk_end(&c);
	chunk_begin(&c, "sums");
	for (uint32_t i = 0; i < n; i++) {
		const char *name = intern_str(s->names, i, &len);
		weight of[2];

		if (!is_told(p, s, i))
			continue;
		sums_of(p, &s->v[i], of);
		put_number(
		    &c, p->in->differential ? 0 : colour_of(p->c, name, len));
		for (int k = 0; k < 2; k++)
			put_number(&c, weight_div(of[k], unit));
	}
	chunk_end(&c);
}

/* Whether a total exceeds the script's exact integers. */
static bool
is_large(const struct tree *t, weight unit)
{
	return tree_total(t, 0, 0) / unit >> 53 ||
	       tree_total(t, 0, 1) / unit >> 53;
}

static void
put_attribute(const char *name, const char *value)
{
	out_printf(" %s=\"", name);
	text_puts(value);
	out_putc('"');
}

static void
put_flag(const char *name, bool is_set)
{
	if (is_set)
		put_attribute(name, "1");
}

static void
put_time(uint64_t piece, const struct failures *f)
{
	out_printf(" piece=\"%" PRIu64 "\" failed=\"", piece);
	for (size_t i = 0; i < f->n; i++) {
		uint64_t ns;

		if (pieces_is(f->v[i].piece, strlen(f->v[i].piece), &ns))
			out_printf("%s%" PRIu64 ":%" PRIu64, i ? " " : "", ns,
			    f->v[i].n);
	}
	out_putc('"');
}

void
table_put(const struct picture *p)
{
	const struct read_result *in = p->in;
	const struct svg_opts *o = p->o;
	const struct tree *t = in->tree;
	bool places = in->unsorted && !o->flamechart;
	const char *captures;
	weight unit;
	int decimals = find_decimals(t, o->flamechart, &unit);

	out_puts("<metadata><k:data xmlns:k=\"urn:kst\">\n<k:options");
	put_attribute("countname", o->countname);
	captures = trailer_get(&in->trailer, "captures");
	if (captures)
		put_attribute("captures", captures);
	put_flag("exact-unit", number_is_exact(o->countname));
	put_attribute("nametype", o->nametype);
	if (o->link)
		put_attribute("link", o->link);
	out_printf(" decimals=\"%d\" counts=\"%d\" ratio=\"%.17g\" "
		   "whole=\"%.17g\"",
	    decimals, p->in->differential ? 2 : 1, p->l.ratio,
	    p->l.scale / (double)unit);
	out_printf(" frame-height=\"%g\" font-size=\"%g\"", o->frame_height,
	    o->font_size);
	put_flag("exact", is_large(t, unit));
	put_flag("places", places);
	put_flag("inverted", o->inverted);
	put_flag("reverse", o->reverse);
	put_flag("normalize", o->normalize);
	put_flag("chart", o->flamechart);
	put_flag("tracks", p->l.tracks);
	if (p->piece)
		put_time(p->piece, &in->failures);
	put_flag("annotated", p->c->annotates);
	out_puts("/>\n");
	put_names(t);
	if (!p->in->differential)
		put_classes(t, p->name_class);
	put_nodes(t, unit, p->in->differential ? 2 : 1, o->flamechart, places);
	if (t->sums)
		put_sums(p, t->sums, unit);
	out_puts("</k:data></metadata>\n");
}
