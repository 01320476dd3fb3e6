/* SPDX-License-Identifier: ISC */
/*
 * The colours of names. Classes are, in this order: those of the user's rules,
 * a shade each; those of a built-in palette's rules, RULE_SHADES each, so that
 * neighbours of one kind do not merge, or more by module; those of crates.
 */
#include "colour/colour.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "set/hash.h"
#include "io/out.h"
#include "io/share.h"
#include "base/buf.h"
#include "set/intern.h"
#include "svg-palettes.h"
#include "base/xalloc.h"

enum { RULE_SHADES = 4, CHANGES = 4 };
enum { FILE_MAX = 16 << 20 };

/* The rules of a palette that comes with the program, or NULL. */
static const char *
built_in_find(const char *name)
{
	size_t n = sizeof built_in_palettes / sizeof built_in_palettes[0];

	for (size_t i = 0; i < n; i++)
		if (strcmp(name, built_in_palettes[i].name) == 0)
			return built_in_palettes[i].text;
	return NULL;
}

/* Reads a palette that comes with the program: 0, or -1 after a message. */
static int
add_built_in(struct colours *c, const char *name)
{
	const char *text = built_in_find(name);

	c->annotates = strstr(text, "_\\[");
	c->shades = RULE_SHADES;
	c->built_in = true;
	return palette_add(c, name, text, strlen(text));
}

static struct colours *
colours_empty(void)
{
	struct colours *c = xcalloc(1, sizeof *c);

	c->kinds = intern_new();
	c->names = intern_new();
	c->shades = 1;
	return c;
}

struct colours *
colours_new(const char *name, const char *file)
{
	struct colours *c = colours_empty();
	struct buf own = BUF_INIT;
	int bad = 0;

	if (file) {
		bad = share_read(file, FILE_MAX, &own);
		if (bad == 0)
			bad = palette_add(c, file, own.p, own.len);
		buf_done(&own);
	}
	bad |= add_built_in(c, name ? name : PALETTE_USUAL);
	if (bad) {
		colours_free(c);
		return NULL;
	}
	palette_end(c);
	return c;
}

struct colours *
colours_of_changes(bool negate)
{
	struct colours *c = colours_empty();

	add_built_in(c, "changes");
	for (uint32_t k = 0; k < c->n_kinds; k++)
		c->kind[k].used = true;
	for (unsigned i = 0; negate && i < CHANGES; i++) {
		struct class less = c->class[i];

		c->class[i] = c->class[2 * CHANGES - i];
		c->class[2 * CHANGES - i] = less;
	}
	return c;
}

void
colours_free(struct colours *c)
{
	if (c == NULL)
		return;
	palette_done(c);
	free(c->class);
	free(c);
}

/* The part of a name that its neighbours share. */
static size_t
module_length(const char *name, size_t len)
{
	for (size_t i = len; i-- > 1;)
		if (name[i] == ':' && name[i - 1] == ':')
			return i - 1;
	for (size_t i = 2; i < len; i++)
		if (name[i] == '_' || name[i] == '.')
			return i;
	return len;
}

/* The first word of the name that `::` follows, or else the whole name. */
static void
crate_of(const char **name, size_t *len)
{
	size_t start = 0;

	for (size_t i = 0; i + 1 < *len; i++) {
		unsigned char c = (unsigned char)(*name)[i];

		if (c == ':' && (*name)[i + 1] == ':' && i > start) {
			*name += start;
			*len = i - start;
			return;
		}
		if (!isalnum(c) && c != '_' && c < 0x80)
			start = i + 1;
	}
}

bool
colour_crate(const struct colours *c, unsigned class, const char **name,
    size_t *len, unsigned *main_class)
{
	if (!c->crates || class < c->crates)
		return false;
	crate_of(name, len);
	*main_class = class - (class - c->crates) % 2;
	return true;
}

/* The class of a name in its kind. */
static unsigned
class_in(struct kind *k, const char *name, size_t len)
{
	size_t part_len = k->by_crate ? len : module_length(name, len);
	uint64_t begun = hash_fixed_more(HASH_FIXED_FIRST, name, part_len);
	uint64_t whole = hash_fixed_end(
	    hash_fixed_more(begun, name + part_len, len - part_len));
	uint64_t part = hash_fixed_end(begun);

	if (k->by_crate) {
		crate_of(&name, &len);
		part = hash_fixed(name, len);
	}
	k->used = true;
	return k->first + (unsigned)((part >> 32) % k->hues * k->shades +
				     (whole >> 32) % k->shades);
}

unsigned
colour_of(struct colours *c, const char *name, size_t len)
{
	return class_in(&c->kind[palette_kind(c, name, len)], name, len);
}

static uint32_t
source_kind(const struct colours *c, unsigned slot)
{
	char name[8];

	snprintf(name, sizeof name, "source%u", slot);
	return intern_find(c->kinds, name, strlen(name));
}

void
colour_source(struct colours *c, unsigned slot, const char *legend, size_t len)
{
	struct kind *k = &c->kind[source_kind(c, slot)];

	free(k->legend);
	k->legend = xmemdup0(legend, len);
}

void
colour_source_name(
    struct colours *c, unsigned slot, const char *name, size_t len)
{
	palette_name(c, source_kind(c, slot), name, len);
}

bool
colour_has_programs(const struct colours *c)
{
	return intern_find(c->kinds, "user", 4) != UINT32_MAX;
}

unsigned
colour_of_program(struct colours *c, const char *name, size_t len)
{
	return class_in(&c->kind[intern_find(c->kinds, "user", 4)], name, len);
}

bool
colour_idle(const struct colours *c, unsigned *first, unsigned *last)
{
	uint32_t id = intern_find(c->kinds, "idle", 4);
	const struct kind *k = &c->kind[id];

	if (id == UINT32_MAX || !k->used || !colour_has_programs(c))
		return false;
	*first = k->first;
	*last = k->first + k->hues * k->shades - 1;
	return true;
}

unsigned
colour_of_change(double before, double after, double variance, double whole)
{
	static const double steps[CHANGES - 1] = {0.002, 0.01, 0.05};
	double change = after - before, size = change < 0 ? -change : change;
	int step = 0;

	if (size * size <= 1.96 * 1.96 * variance)
		return CHANGES;
	while (step < CHANGES - 1 && size >= steps[step] * whole)
		step++;
	return (unsigned)(change < 0 ? CHANGES - 1 - step : CHANGES + 1 + step);
}

static void
put_theme(const struct colours *c, char letter, const char *scope, bool dark)
{
	for (unsigned i = 0; i < c->n; i++) {
		struct rgb rgb = dark ? c->class[i].dark : c->class[i].light;
		const char *text = rgb_text_on(rgb);

		out_printf(
		    "%s.%c%u{color:%s}", scope, letter, i, RGB_TEXT(rgb));
		if (text)
			out_printf(
			    "%s.f .%c%u+text{fill:%s}", scope, letter, i, text);
	}
	out_putc('\n');
}

void
colours_put_css(const struct colours *c, char letter)
{
	put_theme(c, letter, "", false);
	out_puts("@media screen and (prefers-color-scheme:dark){");
	put_theme(c, letter, "svg:not([data-theme=light]) ", true);
	out_puts("}\n@media screen{");
	put_theme(c, letter, "svg[data-theme=dark] ", true);
	out_puts("}\n");
}
