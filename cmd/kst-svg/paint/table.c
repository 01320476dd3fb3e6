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
#include "paint/paint.h"
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
	*c = (struct chunks){.element = element};
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

	if (v < 32) { /* as most are */
		out_putc((char)(63 + (unsigned)v));
		chunk_add(c, 1);
		return;
	}
	for (; v >> 64; v >>= 5, more = 32)
		*--at = (char)(63 + more + (unsigned)(v & 31));
	for (low = (uint64_t)v; low || more == 0; low >>= 5, more = 32)
		*--at = (char)(63 + more + (unsigned)(low & 31));
	out_put(at, (size_t)(text + sizeof text - at));
	chunk_add(c, (size_t)(text + sizeof text - at));
}

static void
put_name(struct chunks *c, const struct intern *names, uint32_t i)
{
	size_t len;
	const char *p = intern_str(names, i, &len);

	text_put(p, len);
	out_putc('\n');
	chunk_add(c, len + 1);
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

/* All names, and the classes that they have. */
static void
put_names(const struct picture *p)
{
	const struct intern *names = p->in->tree->names;
	uint32_t n = intern_count(names);
	struct chunks c;

	chunk_begin(&c, "names");
	for (uint32_t i = 0; i < n; i++)
		put_name(&c, names, i);
	chunk_end(&c);
	if (p->in->differential)
		return;
	chunk_begin(&c, "classes");
	for (uint32_t i = 0; i < n; i++)
		put_number(&c, p->name_class[i]);
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
put_nodes(const struct picture *p, weight unit, bool places)
{
	const struct tree *t = p->in->tree;
	weight *begin = xcalloc((size_t)t->depth_max + 2, sizeof *begin),
	       last = 0;
	uint32_t depth = 0;
	struct chunks c;

	chunk_begin(&c, "nodes");
	for (uint32_t i = 0; i < t->n; i++) {
		const struct node *n = &t->nodes[i];
		weight at = tree_at(t, i);

		put_number(&c, i ? depth + 1 - n->depth : 0);
		put_number(&c, n->name);
		for (int k = 0; k < 1 + p->in->differential; k++) {
			put_number(&c, weight_div(tree_self(t, i, k), unit));
			put_number(&c, weight_div(rest_of(t, i, k), unit));
		}
		if (p->o->flamechart)
			put_number(&c, (at - last) / unit);
		/* begin: of the node, above those of its callers */
		begin[n->depth + 1] = at;
		if (places)
			put_number(
			    &c, weight_div(at - begin[n->depth], WEIGHT_ONE));
		depth = n->depth;
		last = at;
	}
	chunk_end(&c);
	free(begin);
}

/* A frame's name has been looked at before; pieces of time have no frames. */
static unsigned
class_of_sum(const struct picture *p, const struct sums *s, uint32_t i)
{
	size_t len;
	const char *name = intern_str(s->names, i, &len);

	if (s->numbers[i] != UINT32_MAX && p->piece == 0)
		return p->name_class[s->numbers[i]];
	return colour_of(p->c, name, len);
}

/*
 * The functions that are worth a row of a table: their names, or their classes
 * with self and total or, of two counts, both totals.
 */
static void
put_functions(const struct picture *p, const char *element, weight unit)
{
	const struct sums *s = p->in->tree->sums;
	struct chunks c;

	chunk_begin(&c, element);
	for (uint32_t i = 0; i < intern_count(s->names); i++) {
		const bool diff = p->in->differential;
		const weight of[2] = {diff ? s->v[i].total[0] : s->v[i].self,
		    s->v[i].total[diff]};

		if ((double)(of[0] + of[1]) < s->least)
			continue;
		if (unit == 0) {
			put_name(&c, s->names, i);
			continue;
		}
		put_number(&c, diff ? 0 : class_of_sum(p, s, i));
		put_number(&c, weight_div(of[0], unit));
		put_number(&c, weight_div(of[1], unit));
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
	if (value == NULL)
		return;
	out_printf(" %s=\"", name);
	text_puts(value);
	out_putc('"');
}

static void
put_flag(const char *name, bool is_set)
{
	put_attribute(name, is_set ? "1" : NULL);
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
	bool places = in->unsorted && !o->flamechart;
	weight unit;
	int decimals = find_decimals(in->tree, o->flamechart, &unit);
	unsigned idle[2];

	out_puts("<metadata><k:data xmlns:k=\"urn:kst\">\n<k:options");
	put_attribute("countname", o->countname);
	put_attribute("captures", trailer_get(&in->trailer, "captures"));
	put_flag("exact-unit", p->exact);
	put_attribute("nametype", o->nametype);
	put_attribute("link", o->link);
	put_attribute("idle", o->idle);
	if (colour_idle(p->c, &idle[0], &idle[1]))
		out_printf(" idle-classes=\"%u-%u\"", idle[0], idle[1]);
	out_printf(" decimals=\"%d\" counts=\"%d\" ratio=\"%.17g\" "
		   "whole=\"%.17g\" frame-height=\"%g\" font-size=\"%g\"",
	    decimals, in->differential ? 2 : 1, p->ratio,
	    p->scale / (double)unit, o->frame_height, o->font_size);
	put_flag("exact", is_large(in->tree, unit));
	put_flag("places", places);
	put_flag("inverted", o->inverted);
	put_flag("reverse", o->reverse);
	put_flag("normalize", o->normalize);
	put_flag("chart", o->flamechart);
	put_flag("tracks", p->tracks);
	if (p->piece)
		put_time(p->piece, &in->failures);
	put_flag("annotated", p->c->annotates);
	out_puts("/>\n");
	put_names(p);
	put_nodes(p, unit, places);
	if (in->tree->sums) {
		put_functions(p, "functions", 0);
		put_functions(p, "sums", unit);
	}
	out_puts("</k:data></metadata>\n");
}
