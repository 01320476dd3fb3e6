/* SPDX-License-Identifier: ISC */
/* The only file that knows the palettes. */
#include "colour.h"

#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "out.h"
#include "rgb.h"
#include "xalloc.h"

struct class
{
	struct rgb light, dark; /* on a light, on a dark page */
	const char *legend;
};

enum { CLASS_MAX = 256, HUES = 8, SHADES = 4, CHANGES = 4 };

struct colours {
	struct class class[CLASS_MAX];
	unsigned n;
	bool rust;
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
	static const char *const less[] = {"much less", "", "", "less"};
	static const char *const more[] = {"more", "", "", "much more"};

	for (int i = 0; i < CHANGES; i++)
		add_class(c, 212, 0.80, 0.60 + 0.07 * i, less[i]);
	add_class(c, 220, 0.04, 0.84, "no change beyond noise");
	for (int i = 0; i < CHANGES; i++)
		add_class(c, 30 - 2 * i, 0.90, 0.80 - 0.07 * i, more[i]);
}

struct colours *
colours_new(const char *palette, bool differential)
{
	struct colours *c = xcalloc(1, sizeof *c);

	if (differential) {
		add_changes(c);
		return c;
	}
	for (size_t i = 0; i < N_BANDS; i++) {
		if (strcmp(palette, bands[i].name) == 0) {
			add_band(c, &bands[i]);
			return c;
		}
	}
	free(c);
	return NULL;
}

void
colours_free(struct colours *c)
{
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

unsigned
colour_of(struct colours *c, const char *name, size_t len)
{
	uint64_t module = hash_bytes(name, module_length(name, len));

	return (unsigned)((module >> 32) % HUES) * SHADES +
	       (unsigned)((hash_bytes(name, len) >> 32) % SHADES) + 0 * c->n;
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

/* Dark text is readable unless the user chose a dark colour. */
static bool
wants_light_text(struct rgb c)
{
	double y = rgb_luminance(c);
	const struct rgb dark = {0x11, 0x11, 0x11};

	return rgb_contrast(y, rgb_luminance(dark)) < 4.6;
}

static void
put_theme(const struct colours *c, const char *scope, bool dark)
{
	for (unsigned i = 0; i < c->n; i++) {
		struct rgb rgb = dark ? c->class[i].dark : c->class[i].light;

		out_printf("%s.c%u{fill:", scope, i);
		put_rgb(rgb);
		out_puts("}");
		if (wants_light_text(rgb))
			out_printf("%s.c%u+text{fill:#fff}", scope, i);
	}
	out_putc('\n');
}

void
colours_put_css(const struct colours *c)
{
	put_theme(c, "", false);
	out_puts("@media (prefers-color-scheme:dark){");
	put_theme(c, "svg:not([data-theme=light]) ", true);
	out_puts("}\n");
	put_theme(c, "svg[data-theme=dark] ", true);
}

unsigned
colours_count(const struct colours *c)
{
	return c->n;
}

const char *
colour_legend(const struct colours *c, unsigned class)
{
	return class < c->n ? c->class[class].legend : NULL;
}
