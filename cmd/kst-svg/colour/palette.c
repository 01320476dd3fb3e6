/* SPDX-License-Identifier: ISC */
/* Reads palette files: rules that give a kind of colour to names. */
#include "colour/colour.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "names/rx.h"
#include "set/intern.h"

/* A rule for names in which the pattern matches. */
struct pattern {
	struct rx *rx;	   /* or NULL, and then */
	struct piece text; /* what it is to be made of: static */
	uint64_t needs;	   /* one of these, or, if 0, nothing */
	uint32_t kind;
};

/* The first rule for one whole name, after so many patterns. */
struct name_rule {
	size_t after;
	uint32_t kind;
};

enum { KINDS_MAX = 1 << 16, NO_KIND = UINT32_MAX };
enum { HUES = 8, SHADES = 4, CRATES = 12, CRATE_SHADES = 2 };

/* Of crates, and of names for which a palette has nothing. */
/* None is red, which is that of locks. */
static const struct hues crate_hues = {24, 324, 0.52, 0.64};
static const struct hues plain_hues = {36, 36, 0.2, 0.82};

/* Classes of a kind that has none, a colour's shades. */
static void
add_shades(struct colours *c, struct kind *k)
{
	k->by_module = false;
	if (k->hues > 0)
		return;
	k->first = c->n;
	k->hues = 1;
	k->shades = c->shades;
	for (unsigned s = 0; s < k->shades; s++)
		(void)xpush(c->class, c->n, c->cap);
}

static bool
is_last(const struct colours *c, const struct kind *k)
{
	return k->first + k->hues * k->shades == c->n;
}

/* The user's own colours have one shade, and are the same on every page. */
static void
set_colour(struct colours *c, uint32_t kind, struct rgb rgb)
{
	struct kind *k = &c->kind[kind];

	add_shades(c, k);
	for (unsigned s = 0; s < k->shades; s++) {
		struct rgb light = rgb_shade(rgb, s);

		c->class[k->first + s].light = light;
		c->class[k->first + s].dark =
		    k->shades == 1 ? light : rgb_dimmed(light);
	}
}

static struct class class_of_hue(double hue, double sat, double light)
{
	hue -= hue < 360 ? 0 : 360;
	return (struct class){rgb_for_dark_text(hue, sat, light),
	    rgb_for_dark_text(hue, sat * 0.78, light - 0.10)};
}

/* One colour without other shades. */
static void
set_hue(struct colours *c, uint32_t kind, const struct hues *h)
{
	struct kind *k = &c->kind[kind];

	add_shades(c, k);
	if (is_last(c, k)) {
		k->shades = 1;
		c->n = k->first + 1;
	}
	for (unsigned s = 0; s < k->shades; s++)
		c->class[k->first + s] =
		    class_of_hue(h->from, h->sat, h->light);
}

/* Gives the kind new classes; each shade is lighter by that much. */
static void
add_hues(struct colours *c, uint32_t kind, const struct hues *h, unsigned hues,
    unsigned shades, double lighter)
{
	struct kind *k = &c->kind[kind];

	k->first = c->n;
	k->hues = hues;
	k->shades = shades;
	for (unsigned i = 0; i < hues * shades; i++)
		*xpush(c->class, c->n, c->cap) = class_of_hue(
		    h->from + (h->to - h->from) * (i / shades) / (hues - 1),
		    h->sat, h->light + lighter * (i % shades));
}

/* Hues are added when all kinds are known. */
static void
set_by_module(struct colours *c, uint32_t kind, const struct hues *h)
{
	struct kind *k = &c->kind[kind];

	if (k->hues > 0 && is_last(c, k)) {
		c->n = k->first;
		k->hues = 0;
	}
	k->by_module = true;
	k->by_crate = false;
	k->module = *h;
}

/* Makes the kind of that name the current one; false: there are too many. */
static bool
set_kind(struct colours *c, const char *name, size_t len)
{
	c->current = intern_within(c->kinds, name, len, KINDS_MAX);
	if (c->current != c->n_kinds)
		return c->current != NO_KIND;
	*xpush(c->kind, c->n_kinds, c->kind_cap) = (struct kind){0};
	set_colour(c, c->current, (struct rgb){0xd9, 0xd2, 0xc6});
	return true;
}

void
palette_name(struct colours *c, uint32_t kind, const char *name, size_t len)
{
	uint32_t id = intern_id(c->names, name, len);

	if (id + 1 < intern_count(c->names)) /* the first one wins */
		return;
	*xitem(c->name_rules, id, c->name_rules_cap) =
	    (struct name_rule){c->n_patterns, kind};
}

/* Sets the current kind's colour or hues; what is wrong, or NULL. */
static const char *
parse_colour(struct colours *c, const char *s, size_t len, bool by_module)
{
	struct hues hues;
	struct rgb rgb;

	if (rgb_parse_hues(s, len, &hues) == 0) {
		if (by_module)
			set_by_module(c, c->current, &hues);
		else
			set_hue(c, c->current, &hues);
		return NULL;
	}
	if (by_module)
		return "no hues such as hsl(20-50,90%,60%)";
	if (rgb_parse(s, len, &rgb) != 0)
		return "not a colour such as #a0b1c2";
	set_colour(c, c->current, rgb);
	return NULL;
}

/* The length of a colour, which may have blanks between brackets. */
static size_t
colour_length(const char *s, size_t len)
{
	const char *close = memchr(s, ')', len);
	size_t n = 0;

	if (close && (s[0] == 'r' || s[0] == 'h'))
		return (size_t)(close - s) + 1;
	while (n < len && s[n] != ' ' && s[n] != '\t')
		n++;
	return n;
}

/* `COLOUR LEGEND` of the current kind, which may have neither. */
static const char *
parse_kind(struct colours *c, const char *s, size_t len)
{
	static const char crate[] = "by crate", module[] = "by module ";
	struct kind *kind = &c->kind[c->current];
	const char *wrong = NULL;
	bool by_module;
	size_t n = 0;

	len = bytes_trim(&s, len);
	by_module = bytes_starts(s, len, module);
	if (bytes_starts(s, len, crate)) {
		kind->by_crate = true;
		set_colour(c, c->current, (struct rgb){0, 0, 0});
		n = sizeof crate - 1;
	} else if (len) {
		s += by_module ? sizeof module - 1 : 0;
		len -= by_module ? sizeof module - 1 : 0;
		n = colour_length(s, len);
		wrong = parse_colour(c, s, n, by_module);
	}
	if (wrong)
		return wrong;
	s += n;
	len -= n;
	len = bytes_trim(&s, len);
	if (len) {
		free(kind->legend);
		kind->legend = xmemdup0(s, len);
	}
	return NULL;
}

/* A line of a map: a kind for each colour, without a legend. */
static const char *
parse_map(struct colours *c, const char *s, size_t len, const char *arrow)
{
	const char *colour = arrow + 2;
	struct rgb rgb;

	len -= (size_t)(colour - s);
	if (rgb_parse(colour, len, &rgb) != 0)
		return "not a colour such as rgb(10,20,30)";
	if (!set_kind(c, colour, len))
		return "too many colours";
	set_colour(c, c->current, rgb);
	palette_name(c, c->current, s, (size_t)(arrow - s));
	c->current = NO_KIND;
	return NULL;
}

/* A pattern of our own is compiled when a name needs it: few do. */
static const char *
add_pattern(struct colours *c, const char *s, size_t len, struct buf *err)
{
	struct pattern p = {.text = {s, len}, .kind = c->current};

	if (!c->built_in && (p.rx = rx_new(s, len, err)) == NULL)
		return buf_str(err);
	p.needs = needs_add(&c->needs, s, len);
	*xpush(c->patterns, c->n_patterns, c->patterns_cap) = p;
	return NULL;
}

static bool
is_match(struct pattern *p, const char *name, size_t len)
{
	struct buf err = BUF_INIT;

	if (p->rx == NULL)
		p->rx = rx_new(p->text.p, p->text.len, &err);
	if (p->rx == NULL)
		msg_die(EXIT_FAILED, "%s: %s", msg_text(p->text.p, p->text.len),
		    buf_str(&err));
	return rx_match(p->rx, name, len) == 1;
}

/* Returns what is wrong with the line, in a static text or in *err. */
static const char *
parse_line(struct colours *c, const char *s, size_t len, struct buf *err)
{
	const char *close, *arrow;

	len = bytes_trim(&s, len);
	if (len == 0 || *s == '#')
		return NULL;
	arrow = memmem(s, len, "->rgb(", 6);
	if (arrow) /* also of a name such as [unknown] */
		return parse_map(c, s, len, arrow);
	if (*s == '[' && (close = memchr(s, ']', len)) != NULL) {
		if (!set_kind(c, s + 1, (size_t)(close - s) - 1))
			return "too many classes";
		return parse_kind(c, close + 1, len - (size_t)(close - s) - 1);
	}
	if (c->current == NO_KIND)
		return "a rule before the first [class]";
	if (bytes_starts(s, len, "name ")) {
		palette_name(c, c->current, s + 5, len - 5);
		return NULL;
	}
	if (!bytes_starts(s, len, "match "))
		return "not [class], match or name";
	return add_pattern(c, s + 6, len - 6, err);
}

int
palette_add(struct colours *c, const char *name, const char *text, size_t len)
{
	const char *end = text + len;
	size_t line = 0;
	int status = 0;

	c->current = NO_KIND;
	for (const char *nl; text < end; text = nl + 1) {
		struct buf err = BUF_INIT;
		const char *wrong;

		nl = memchr(text, '\n', (size_t)(end - text));
		nl = nl ? nl : end;
		wrong = parse_line(c, text, (size_t)(nl - text), &err);
		line++;
		if (wrong) {
			msg("%s:%zu: %s", msg_str(name), line, wrong);
			status = -1;
		}
		buf_done(&err);
	}
	return status;
}

/* All kinds by crate have the same classes. */
static void
add_crates(struct colours *c)
{
	struct kind crates = {0};

	for (uint32_t k = 0; k < c->n_kinds; k++) {
		struct kind *kind = &c->kind[k];

		if (!kind->by_crate)
			continue;
		free(kind->legend);
		kind->legend = NULL;
		if (c->crates) {
			*kind = crates;
			continue;
		}
		add_hues(c, k, &crate_hues, CRATES, CRATE_SHADES, 0.08);
		c->crates = kind->first;
		crates = *kind;
	}
}

void
palette_end(struct colours *c)
{
	bool any = false;

	add_crates(c);
	c->other = intern_find(c->kinds, "other", 5);
	for (uint32_t k = 0; k < c->n_kinds; k++) {
		struct kind *kind = &c->kind[k];

		if (kind->by_module)
			add_hues(c, k, &kind->module, HUES, SHADES, 0.035);
		if (c->other == NO_KIND && (kind->by_crate || kind->by_module))
			c->other = k;
		any |= kind->by_crate || kind->by_module;
	}
	if (any)
		return;
	if (c->other == NO_KIND)
		c->other = c->n_kinds;
	*xpush(c->kind, c->n_kinds, c->kind_cap) = (struct kind){0};
	c->shades = 1;
	set_hue(c, c->n_kinds - 1, &plain_hues);
}

uint32_t
palette_kind(struct colours *c, const char *name, size_t len)
{
	uint64_t found = needs_find(&c->needs, name, len);
	uint32_t id = intern_find(c->names, name, len);
	const struct name_rule *own =
	    id == UINT32_MAX ? NULL : &c->name_rules[id];

	for (size_t i = 0; i < (own ? own->after : c->n_patterns); i++) {
		struct pattern *p = &c->patterns[i];

		if ((p->needs == 0 || (p->needs & found)) &&
		    is_match(p, name, len))
			return p->kind;
	}
	return own ? own->kind : c->other;
}

void
palette_done(struct colours *c)
{
	for (size_t i = 0; i < c->n_patterns; i++)
		rx_free(c->patterns[i].rx);
	for (uint32_t k = 0; k < c->n_kinds; k++)
		free(c->kind[k].legend);
	intern_free(c->names);
	intern_free(c->kinds);
	free(c->name_rules);
	free(c->patterns);
	free(c->kind);
}
