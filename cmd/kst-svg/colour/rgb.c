/* SPDX-License-Identifier: ISC */
/* Formulas: CSS Color 4 (HSL), WCAG 2.2 (luminance, contrast). */
#include "colour/rgb.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"

/* One channel of HSL; n is 0, 8, 4 for red, green, blue. */
static unsigned char
channel(int n, double hue, double sat, double light)
{
	double k = n + hue / 30, a, v;

	while (k >= 12)
		k -= 12;
	a = sat * (light < 1 - light ? light : 1 - light);
	v = k - 3 < 9 - k ? k - 3 : 9 - k;
	v = v > 1 ? 1 : v < -1 ? -1 : v;
	return (unsigned char)((light - a * v) * 255 + 0.5);
}

static struct rgb
of_hsl(double hue, double sat, double light)
{
	return (struct rgb){channel(0, hue, sat, light),
	    channel(8, hue, sat, light), channel(4, hue, sat, light)};
}

/* The light of a channel, 0 to 1, by sRGB's curve (IEC 61966-2-1). */
static double
linear(unsigned char v8)
{
	static double known[256]; /* pow() takes long, and colours are many */
	double v = v8 / 255.0;

	if (known[v8] <= 0)
		known[v8] =
		    v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4);
	return known[v8];
}

static double
luminance(struct rgb c)
{
	return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) +
	       0.0722 * linear(c.b);
}

double
rgb_contrast(struct rgb x, struct rgb y)
{
	double a = luminance(x) + 0.05, b = luminance(y) + 0.05;

	return a > b ? a / b : b / a;
}

const char *
rgb_text_on(struct rgb c)
{
	static const char white[] = "#fff", black[] = "#000";

	if (rgb_contrast(c, (struct rgb){0x11, 0x11, 0x11}) >= 4.5)
		return NULL;
	return rgb_contrast(c, (struct rgb){255, 255, 255}) >= 4.5 ? white
								   : black;
}

static struct rgb
darker(struct rgb c, double by)
{
	return (struct rgb){(unsigned char)(c.r * by),
	    (unsigned char)(c.g * by), (unsigned char)(c.b * by)};
}

struct rgb
rgb_dimmed(struct rgb c)
{
	struct rgb dim = darker(c, 0.86);

	return rgb_text_on(dim) ? c : dim;
}

struct rgb
rgb_shade(struct rgb c, unsigned shade)
{
	struct rgb out = darker(c, 0.93);

	if (shade == 3)
		return rgb_text_on(out) == rgb_text_on(c) ? out : c;
	out.r = (unsigned char)(c.r + (255 - c.r) * 3 * shade / 20);
	out.g = (unsigned char)(c.g + (255 - c.g) * 3 * shade / 20);
	out.b = (unsigned char)(c.b + (255 - c.b) * 3 * shade / 20);
	return out;
}

struct rgb
rgb_for_dark_text(double hue, double sat, double light)
{
	struct rgb c = of_hsl(hue, sat, light);

	while (luminance(c) < 0.26 && light < 0.95) {
		light += 0.01;
		c = of_hsl(hue, sat, light);
	}
	return c;
}

const char *
rgb_text(struct rgb c, char text[8])
{
	snprintf(text, 8, "#%02x%02x%02x", c.r, c.g, c.b);
	return text;
}

static int
parse_hex(const char *s, size_t len, struct rgb *c)
{
	uint64_t v;

	if ((len != 3 && len != 6) || num_hex(s, len, &v) != 0)
		return -1;
	if (len == 3)
		v = ((v & 0xf00) << 8 | (v & 0xf0) << 4 | (v & 0xf)) * 0x11;
	*c = (struct rgb){(unsigned char)(v >> 16), (unsigned char)(v >> 8),
	    (unsigned char)v};
	return 0;
}

int
rgb_parse(const char *s, size_t len, struct rgb *c)
{
	unsigned r, g, b;
	char text[32];
	int end = 0;

	if (len && s[0] == '#')
		return parse_hex(s + 1, len - 1, c);
	if (len >= sizeof text)
		return -1;
	memcpy(text, s, len);
	text[len] = 0;
	if (sscanf(text, "rgb( %3u , %3u , %3u )%n", &r, &g, &b, &end) != 3 ||
	    (size_t)end != len || r > 255 || g > 255 || b > 255)
		return -1;
	*c = (struct rgb){(unsigned char)r, (unsigned char)g, (unsigned char)b};
	return 0;
}

static bool
is_within(double v, double max)
{
	return v >= 0 && v <= max;
}

int
rgb_parse_hues(const char *s, size_t len, struct hues *h)
{
	char text[64];
	int end = 0;

	if (len >= sizeof text)
		return -1;
	memcpy(text, s, len);
	text[len] = 0;
	if (sscanf(text, "hsl( %lf - %lf , %lf%% , %lf%% )%n", &h->from, &h->to,
		&h->sat, &h->light, &end) != 4) {
		if (sscanf(text, "hsl( %lf , %lf%% , %lf%% )%n", &h->from,
			&h->sat, &h->light, &end) != 3)
			return -1;
		h->to = h->from;
	}
	h->sat /= 100;
	h->light /= 100;
	return (size_t)end == len && is_within(h->from, 360) &&
		       is_within(h->to, 720) && is_within(h->sat, 1) &&
		       is_within(h->light, 1)
		   ? 0
		   : -1;
}
