/* SPDX-License-Identifier: ISC */
/* The only file that knows the palettes. */
#include "colour.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/msg.h"
#include "base/out.h"
#include "palette.h"
#include "rgb.h"
#include "svg-palettes.h"
#include "base/xalloc.h"

struct class
{
	struct rgb light, dark; /* on a light, on a dark page */
	const char *legend;
	bool used;
};

enum { HUES = 8, SHADES = 4, CHANGES = 4, CRATES = 12, OWN_MAX = 64 };

/* Classes: those of the palette's rules, then those of a band or of crates. */
struct colours {
	struct class *class;	   /* room for the rules' and OWN_MAX more */
	unsigned n, rules, crates; /* crates: where they begin, 0 = none */
	struct palette *palette;
};

/*
 * A palette is a band of hues: a frame's hue is by the module or prefix of
 * its name, so that neighbours of one module look alike, its shade by the
 * whole name.
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
};

enum { N_BANDS = sizeof bands / sizeof bands[0] };

static void
add_class(
    struct colours *c, double hue, double sat, double light, const char *legend)
{
	struct class *k = &c->class[c->n++];

	k->light = rgb_for_dark_text(hue, sat, light);
	k->dark = rgb_for_dark_text(hue, sat * 0.78, light - 0.10);
	k->legend = legend;
	k->used = legend != NULL;
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

/* Blue for less, orange for more: told apart by every kind of sight. */
static void
add_changes(struct colours *c)
{
	static const char *const less[] = {"−5%", "−1%", "−0.2%", "less"};
	static const char *const more[] = {
	    "more", "+0.2%", "+1%", "+5% of all"};

	for (int i = 0; i < CHANGES; i++)
		add_class(c, 212, 0.80, 0.60 + 0.07 * i, less[i]);
	add_class(c, 220, 0.04, 0.84, "no change beyond noise");
	for (int i = 0; i < CHANGES; i++)
		add_class(c, 30 - 2 * i, 0.90, 0.80 - 0.07 * i, more[i]);
}

static const struct band *
band_find(const char *name)
{
	for (size_t i = 0; i < N_BANDS; i++)
		if (strcmp(name, bands[i].name) == 0)
			return &bands[i];
	return NULL;
}

/* The rules of a palette that comes with the program. */
static bool
add_built_in(struct palette *p, const char *name)
{
	size_t n = sizeof built_in_palettes / sizeof built_in_palettes[0];

	for (size_t i = 0; i < n; i++) {
		const char *text = built_in_palettes[i].text;

		if (strcmp(name, built_in_palettes[i].name) == 0)
			return palette_add(p, name, text, strlen(text)) == 0;
	}
	msg("--colors: no palette '%s'", msg_str(name));
	return false;
}

/* The first n_fixed are the user's own, the same on every page. */
static void
add_rule_classes(struct colours *c, size_t n_fixed)
{
	bool crates = false;

	for (size_t i = 0; i < palette_count(c->palette); i++) {
		const struct palette_class *k = palette_class(c->palette, i);
		struct class *to = &c->class[c->n++];

		to->light = to->dark = k->rgb;
		if (i >= n_fixed)
			to->dark = rgb_dimmed(k->rgb);
		to->legend = k->legend;
		crates = crates || k->by_crate;
	}
	c->rules = c->n;
	if (!crates)
		return;
	c->crates = c->n;
	for (int i = 0; i < CRATES * 2; i++)
		add_class(c, 30 * (i / 2), 0.52, i % 2 ? 0.72 : 0.64, NULL);
}

struct colours *
colours_new(const char *name, const char *file)
{
	struct colours *c = xcalloc(1, sizeof *c);
	const struct band *band = band_find(name);
	bool ok;
	size_t n_fixed;

	c->palette = palette_new();
	ok = file == NULL || palette_add_file(c->palette, file) == 0;
	n_fixed = palette_count(c->palette);
	if (!ok || (!band && !add_built_in(c->palette, name))) {
		colours_free(c);
		return NULL;
	}
	c->class =
	    xcalloc(palette_count(c->palette) + OWN_MAX, sizeof *c->class);
	add_rule_classes(c, n_fixed);
	if (band)
		add_band(c, band);
	else if (!c->crates) /* names that no rule has a class for */
		add_class(c, 36, 0.2, 0.82, NULL);
	return c;
}

void
colours_by_change(struct colours *c)
{
	c->n = 0;
	add_changes(c);
}

void
colours_free(struct colours *c)
{
	if (c == NULL)
		return;
	palette_free(c->palette);
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

/* By the first part of the name. */
static unsigned
crate_class(const struct colours *c, const char *name, size_t len)
{
	size_t n = 0;

	while (n < len && name[n] == '<')
		n++;
	for (; n < len && name[n] != ':' && name[n] != ';'; n++)
		;
	return c->crates +
	       (unsigned)((hash_bytes(name, n) >> 32) % CRATES) * 2 +
	       (unsigned)((hash_bytes(name, len) >> 32) & 1);
}

static unsigned
band_class(const struct colours *c, const char *name, size_t len)
{
	uint64_t module = hash_bytes(name, module_length(name, len));
	uint64_t whole = hash_bytes(name, len);

	if (c->n - c->rules < HUES * SHADES)
		return c->n - 1;
	return c->rules + (unsigned)((module >> 32) % HUES) * SHADES +
	       (unsigned)((whole >> 32) % SHADES);
}

unsigned
colour_of(struct colours *c, const char *name, size_t len)
{
	int rule = palette_of(c->palette, name, len);

	if (rule == PALETTE_NONE)
		return band_class(c, name, len);
	c->class[rule].used = true;
	if (palette_class(c->palette, (size_t)rule)->by_crate)
		return crate_class(c, name, len);
	return (unsigned)rule;
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
put_rgb(struct rgb c)
{
	out_printf("#%02x%02x%02x", c.r, c.g, c.b);
}

void
colours_put_attribute(
    const struct colours *c, unsigned class, const char *attribute)
{
	out_printf(" %s=\"", attribute);
	put_rgb(c->class[class].light);
	out_putc('"');
}

static const char *const text_fill[] = {
    [RGB_TEXT_WHITE] = "#fff", [RGB_TEXT_BLACK] = "#000"};

void
colours_put_text_fill(const struct colours *c, unsigned class)
{
	enum rgb_text text = rgb_text_on(c->class[class].light);

	if (text != RGB_TEXT_DARK)
		out_printf(" fill=\"%s\"", text_fill[text]);
}

static void
put_theme(const struct colours *c, const char *scope, bool dark)
{
	for (unsigned i = 0; i < c->n; i++) {
		struct rgb rgb = dark ? c->class[i].dark : c->class[i].light;
		enum rgb_text text = rgb_text_on(rgb);

		out_printf("%s.c%u{color:", scope, i);
		put_rgb(rgb);
		out_puts("}");
		if (text != RGB_TEXT_DARK)
			out_printf("%s.f .c%u+text{fill:%s}", scope, i,
			    text_fill[text]);
	}
	out_putc('\n');
}

void
colours_put_css(const struct colours *c)
{
	put_theme(c, "", false);
	out_puts("@media screen and (prefers-color-scheme:dark){");
	put_theme(c, "svg:not([data-theme=light]) ", true);
	out_puts("}\n@media screen{");
	put_theme(c, "svg[data-theme=dark] ", true);
	out_puts("}\n");
}

unsigned
colours_count(const struct colours *c)
{
	return c->n;
}

const char *
colour_legend(const struct colours *c, unsigned class)
{
	return c->class[class].used ? c->class[class].legend : NULL;
}
