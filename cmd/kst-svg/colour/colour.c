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

static void
add_class(
    struct colours *c, double hue, double sat, double light, const char *legend)
{
	*xpush(c->class, c->n, c->cap) =
	    (struct class){rgb_for_dark_text(hue, sat, light),
		rgb_for_dark_text(hue, sat * 0.78, light - 0.10),
		legend ? xstrdup(legend) : NULL, legend != NULL};
}

static void
add_band(struct colours *c, const struct band *b)
{
	for (int h = 0; h < HUES; h++) {
		double hue = b->from + (b->to - b->from) * h / (HUES - 1);

		for (int s = 0; s < SHADES; s++)
			add_class(c, hue < 360 ? hue : hue - 360, b->sat,
			    b->light + 0.035 * s, NULL);
	}
}

static void
add_change(struct colours *c, bool orange, int step, const char *legend)
{
	if (orange)
		add_class(c, 30 - 2 * step, 0.90, 0.80 - 0.07 * step, legend);
	else
		add_class(c, 212, 0.80, 0.81 - 0.07 * step, legend);
}

/* Told apart by every kind of sight. */
struct colours *
colours_of_changes(bool negate)
{
	static const char *const less[] = {"−5%", "−1%", "−0.2%", "less"};
	static const char *const more[] = {
	    "more", "+0.2%", "+1%", "+5% of all"};
	struct colours *c = xcalloc(1, sizeof *c);

	for (int i = 0; i < CHANGES; i++)
		add_change(c, negate, 3 - i, less[i]);
	add_class(c, 220, 0.04, 0.84, "no change beyond noise");
	for (int i = 0; i < CHANGES; i++)
		add_change(c, !negate, i, more[i]);
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

/* Classes of names that no rule has a class for. */
static void
add_others(struct colours *c)
{
	for (uint32_t k = 0; k < intern_count(c->kinds); k++)
		if (c->kind[k].by_crate)
			c->crates = c->n;
	for (int i = 0; c->crates && i < CRATES * 2; i++)
		add_class(c, 30 * (i / 2), 0.52, i % 2 ? 0.72 : 0.64, NULL);
	if (c->band)
		add_band(c, c->band);
	else if (!c->crates)
		add_class(c, 36, 0.2, 0.82, NULL);
}

struct colours *
colours_new(const char *name, const char *file)
{
	struct colours *c = xcalloc(1, sizeof *c);
	struct buf own = BUF_INIT;
	const char *text;
	int bad = 0;

	c->band = band_find(name);
	text = built_in_find(c->band ? "idle" : name);
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
	bad |= palette_add(c, name, text, strlen(text));
	if (bad) {
		colours_free(c);
		return NULL;
	}
	add_others(c);
	return c;
}

void
colours_free(struct colours *c)
{
	if (c == NULL)
		return;
	palette_done(c);
	for (unsigned i = 0; i < c->n; i++)
		free(c->class[i].legend);
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

static unsigned
crate_class(const struct colours *c, const char *name, size_t len)
{
	uint64_t whole = hash_fixed(name, len);

	crate_of(&name, &len);
	return c->crates +
	       (unsigned)((hash_fixed(name, len) >> 32) % CRATES) * 2 +
	       (unsigned)((whole >> 32) & 1);
}

static unsigned
band_class(const struct colours *c, const char *name, size_t len)
{
	uint64_t module = hash_fixed(name, module_length(name, len));
	uint64_t whole = hash_fixed(name, len);

	if (c->band == NULL)
		return c->n - 1;
	return c->n - HUES * SHADES +
	       (unsigned)((module >> 32) % HUES) * SHADES +
	       (unsigned)((whole >> 32) % SHADES);
}

unsigned
colour_of(struct colours *c, const char *name, size_t len)
{
	uint32_t kind = palette_kind(c, name, len);
	const struct kind *k;

	if (kind == NO_KIND)
		return band_class(c, name, len);
	k = &c->kind[kind];
	if (k->by_crate)
		return crate_class(c, name, len);
	c->class[k->first].used = true;
	return k->first + (unsigned)(hash_fixed(name, len) >> 32) % k->shades;
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
