/* SPDX-License-Identifier: ISC */
/*
 * The palettes. Classes are, in this order: those of the user's rules, a shade
 * each; those of a built-in palette's rules, RULE_SHADES each, so that
 * neighbours of one kind do not merge; those of crates and of a band.
 */
#include "colour/colour.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "set/hash.h"
#include "io/out.h"
#include "io/share.h"
#include "base/buf.h"
#include "set/intern.h"
#include "svg-palettes.h"
#include "base/xalloc.h"

enum { HUES = 8, SHADES = 4, RULE_SHADES = 4, CHANGES = 4, CRATES = 12 };
enum { FILE_MAX = 16 << 20 };

/*
 * A band of hues: a name's module or prefix gives the hue, so that neighbours
 * of one module look alike, the whole name the shade.
 */
struct band {
	const char *name;
	double from, to, sat, light;
};

static const struct band bands[] = {
    {"hot", 4, 54, 0.92, 0.60},
    {"red", 352, 372, 0.85, 0.66},
    {"orange", 22, 38, 0.92, 0.58},
    {"yellow", 46, 58, 0.86, 0.56},
    {"green", 92, 150, 0.48, 0.58},
    {"aqua", 168, 190, 0.52, 0.56},
    {"blue", 200, 228, 0.72, 0.68},
    {"purple", 262, 300, 0.56, 0.72},
    {"grey", 210, 220, 0.06, 0.66},
    {"mem", 120, 165, 0.52, 0.56},
    {"io", 196, 250, 0.40, 0.68},
    {"cool", 165, 265, 0.50, 0.66},
    {"wakeup", 168, 190, 0.52, 0.56},
};

enum { N_BANDS = sizeof bands / sizeof bands[0] };

/* Adds classes: the band's hues, and of each so many shades. */
static struct kind
add_hues(struct colours *c, const struct band *b, unsigned hues,
    unsigned shades, double lighter)
{
	const struct kind k = {.first = c->n, .hues = hues, .shades = shades};
	unsigned steps = hues > 1 ? hues - 1 : 1;

	for (unsigned i = 0; i < hues * shades; i++) {
		double hue = b->from + (b->to - b->from) * (i / shades) / steps;
		double light = b->light + lighter * (i % shades);

		hue -= hue < 360 ? 0 : 360;
		*xpush(c->class, c->n, c->cap) =
		    (struct class){rgb_for_dark_text(hue, b->sat, light),
			rgb_for_dark_text(hue, b->sat * 0.78, light - 0.10)};
	}
	return k;
}

/* Told apart by every kind of sight. */
struct colours *
colours_of_changes(bool negate)
{
	static const char *const legends[2 * CHANGES + 1] = {"−5%", "−1%",
	    "−0.2%", "less", "no change beyond noise", "more", "+0.2%", "+1%",
	    "+5% of all"};
	struct colours *c = xcalloc(1, sizeof *c);

	for (int i = -CHANGES; i <= CHANGES; i++) {
		int step = abs(i) - 1;
		const struct band grey = {"", 220, 220, 0.04, 0.84};
		const struct band blue = {
		    "", 212, 212, 0.80, 0.81 - 0.07 * step};
		const struct band orange = {
		    "", 30 - 2 * step, 0, 0.90, 0.80 - 0.07 * step};
		struct kind k = add_hues(c,
		    i == 0		? &grey
		    : (i > 0) != negate ? &orange
					: &blue,
		    1, 1, 0);

		k.used = true;
		k.legend = xstrdup(legends[CHANGES + i]);
		*xpush(c->kind, c->n_kinds, c->kind_cap) = k;
	}
	return c;
}

static const struct band *
band_find(const char *name)
{
	for (size_t i = 0; i < N_BANDS; i++)
		if (strcmp(name, bands[i].name) == 0)
			return &bands[i];
	return NULL;
}

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

/* Classes of crates, and of names that no rule has a class for. */
static void
add_others(struct colours *c, const struct band *band)
{
	static const struct band crates = {"", 0, 330, 0.52, 0.64};
	static const struct band plain = {"", 36, 36, 0.2, 0.82};
	struct kind of_crates = {0};

	c->other = intern_find(c->kinds, "other", 5);
	for (uint32_t k = 0; k < c->n_kinds; k++) {
		if (!c->kind[k].by_crate)
			continue;
		if (!c->crates)
			of_crates = add_hues(c, &crates, CRATES, 2, 0.08);
		c->crates = of_crates.first;
		of_crates.by_crate = true;
		free(c->kind[k].legend);
		c->kind[k] = of_crates;
		if (c->other == NO_KIND)
			c->other = k;
	}
	if (band)
		c->rest = add_hues(c, band, HUES, SHADES, 0.035);
	else if (!c->crates)
		c->rest = add_hues(c, &plain, 1, 1, 0);
}

struct colours *
colours_new(const char *name, const char *file)
{
	struct colours *c = xcalloc(1, sizeof *c);
	const struct band *band = band_find(name);
	const char *text = built_in_find(band ? "idle" : name);
	struct buf own = BUF_INIT;
	int bad = 0;

	c->annotates = strstr(text, "_\\[");
	c->kinds = intern_new();
	c->names = intern_new();
	c->shades = 1;
	if (file) {
		bad = share_read(file, FILE_MAX, &own);
		if (bad == 0)
			bad = palette_add(c, file, own.p, own.len);
		buf_done(&own);
	}
	c->shades = RULE_SHADES;
	c->built_in = true;
	bad |= palette_add(c, name, text, strlen(text));
	if (bad) {
		colours_free(c);
		return NULL;
	}
	add_others(c, band);
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

unsigned
colour_of(struct colours *c, const char *name, size_t len)
{
	uint32_t number = palette_kind(c, name, len);
	struct kind *k = number == NO_KIND ? &c->rest : &c->kind[number];
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
