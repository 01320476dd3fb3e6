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

enum { KINDS_MAX = 1 << 16 };

/* The user's own colours have one shade, and are the same on every page. */
static void
set_colour(struct colours *c, uint32_t kind, struct rgb rgb)
{
	const struct kind *k = &c->kind[kind];

	for (unsigned s = 0; s < k->shades; s++) {
		struct rgb light = rgb_shade(rgb, s);

		c->class[k->first + s].light = light;
		c->class[k->first + s].dark =
		    k->shades == 1 ? light : rgb_dimmed(light);
	}
}

/* Makes the kind of that name the current one; false: there are too many. */
static bool
set_kind(struct colours *c, const char *name, size_t len)
{
	const struct kind k = {.first = c->n, .hues = 1, .shades = c->shades};

	c->current = intern_within(c->kinds, name, len, KINDS_MAX);
	if (c->current != c->n_kinds)
		return c->current != NO_KIND;
	*xpush(c->kind, c->n_kinds, c->kind_cap) = k;
	for (unsigned s = 0; s < k.shades; s++)
		(void)xpush(c->class, c->n, c->cap);
	set_colour(c, c->current, (struct rgb){0xd9, 0xd2, 0xc6});
	return true;
}

static void
add_name(struct colours *c, const char *name, size_t len)
{
	uint32_t id = intern_id(c->names, name, len);

	if (id + 1 < intern_count(c->names)) /* the first one wins */
		return;
	*xitem(c->name_rules, id, c->name_rules_cap) =
	    (struct name_rule){c->n_patterns, c->current};
}

/* `COLOUR LEGEND` of the current kind, which may have neither. */
static const char *
parse_kind(struct colours *c, const char *s, size_t len)
{
	struct kind *kind = &c->kind[c->current];
	struct rgb rgb = {0, 0, 0};
	const char *close;
	size_t n = 0;

	len = bytes_trim(&s, len);
	if (bytes_starts(s, len, "by crate")) {
		kind->by_crate = true;
		n = strlen("by crate");
	} else if (len) {
		close = s[0] == 'r' ? memchr(s, ')', len) : NULL;
		while (n < len && s[n] != ' ' && s[n] != '\t')
			n++;
		if (close)
			n = (size_t)(close - s) + 1;
		if (rgb_parse(s, n, &rgb) != 0)
			return "not a colour such as #a0b1c2";
	}
	if (n)
		set_colour(c, c->current, rgb);
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
	add_name(c, s, (size_t)(arrow - s));
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
		add_name(c, s + 5, len - 5);
		return NULL;
	}
	if (!bytes_starts(s, len, "match "))
		return "neither [class] nor match nor name";
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
