/* SPDX-License-Identifier: ISC */
/* The only file that knows how palette files are written. */
#include "palette.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/buf.h"
#include "base/msg.h"
#include "names/rx.h"
#include "base/xalloc.h"

struct rule {
	struct rx *rx; /* or NULL: the whole name is */
	char *name;
	size_t name_len;
	int class;
};

struct palette {
	struct rule *rules;
	size_t n_rules, cap_rules;
	struct palette_class *classes;
	size_t n, cap;
	int current; /* class that rules go to */
};

enum { CLASSES_MAX = 200, FILE_MAX = 4 << 20 };

struct palette *
palette_new(void)
{
	struct palette *p = xcalloc(1, sizeof *p);

	p->current = PALETTE_NONE;
	return p;
}

void
palette_free(struct palette *p)
{
	if (p == NULL)
		return;
	for (size_t i = 0; i < p->n_rules; i++) {
		rx_free(p->rules[i].rx);
		free(p->rules[i].name);
	}
	for (size_t i = 0; i < p->n; i++) {
		free(p->classes[i].id);
		free(p->classes[i].legend);
	}
	free(p->rules);
	free(p->classes);
	free(p);
}

/* The class with that name, made if it is new; -1 when there are too many. */
static int
class_id(struct palette *p, const char *id, size_t len)
{
	struct palette_class *k;

	for (size_t i = 0; i < p->n; i++)
		if (bytes_is(id, len, p->classes[i].id))
			return (int)i;
	if (p->n == CLASSES_MAX)
		return -1;
	p->classes = xgrow(p->classes, p->n + 1, &p->cap, sizeof *k);
	k = &p->classes[p->n];
	memset(k, 0, sizeof *k);
	k->id = xmemdup0(id, len);
	return (int)p->n++;
}

static struct rule *
add_rule(struct palette *p)
{
	struct rule *r;

	p->rules = xgrow(p->rules, p->n_rules + 1, &p->cap_rules, sizeof *r);
	r = &p->rules[p->n_rules++];
	memset(r, 0, sizeof *r);
	r->class = p->current;
	return r;
}

static void
trim(const char **s, size_t *len)
{
	while (*len && strchr(" \t\r", (*s)[*len - 1]))
		--*len;
	while (*len && strchr(" \t\r", **s)) {
		++*s;
		--*len;
	}
}

/* `COLOUR LEGEND` of a class that may have neither. */
static const char *
parse_class(struct palette_class *k, const char *s, size_t len)
{
	const char *close;
	size_t n = 0;

	trim(&s, &len);
	if (bytes_starts(s, len, "by crate")) {
		k->by_crate = true;
		n = strlen("by crate");
	} else if (len) {
		close = s[0] == 'r' ? memchr(s, ')', len) : NULL;
		while (n < len && s[n] != ' ' && s[n] != '\t')
			n++;
		if (close)
			n = (size_t)(close - s) + 1;
		if (rgb_parse(s, n, &k->rgb) != 0)
			return "no colour such as #a0b1c2";
		k->has_rgb = true;
	}
	s += n;
	len -= n;
	trim(&s, &len);
	if (len) {
		free(k->legend);
		k->legend = xmemdup0(s, len);
	}
	return NULL;
}

/* A line of a map: one class a colour, without a legend. */
static const char *
parse_map(struct palette *p, const char *s, size_t len, const char *arrow)
{
	size_t at = (size_t)(arrow - s);
	struct rule *r;
	struct rgb rgb;

	if (rgb_parse(arrow + 2, len - at - 2, &rgb) != 0)
		return "no colour such as rgb(10,20,30)";
	p->current = class_id(p, arrow + 2, len - at - 2);
	if (p->current < 0)
		return "too many colours";
	p->classes[p->current].rgb = rgb;
	p->classes[p->current].has_rgb = true;
	r = add_rule(p);
	r->name = xmemdup0(s, at);
	r->name_len = at;
	p->current = PALETTE_NONE;
	return NULL;
}

/* Returns what is wrong with the line, in a static text or in *err. */
static const char *
parse_line(struct palette *p, const char *s, size_t len, struct buf *err)
{
	const char *close, *arrow;
	struct rule *r;

	trim(&s, &len);
	if (len == 0 || *s == '#')
		return NULL;
	if (*s == '[' && (close = memchr(s, ']', len)) != NULL) {
		p->current = class_id(p, s + 1, (size_t)(close - s) - 1);
		if (p->current < 0)
			return "too many classes";
		return parse_class(&p->classes[p->current], close + 1,
		    len - (size_t)(close - s) - 1);
	}
	arrow = memmem(s, len, "->rgb(", 6);
	if (arrow)
		return parse_map(p, s, len, arrow);
	if (p->current == PALETTE_NONE)
		return "a rule before the first [class]";
	if (bytes_starts(s, len, "match ")) {
		struct rx *rx = rx_new(s + 6, len - 6, err);

		if (rx == NULL)
			return buf_str(err);
		add_rule(p)->rx = rx;
		return NULL;
	}
	if (!bytes_starts(s, len, "name "))
		return "neither [class] nor match nor name";
	r = add_rule(p);
	r->name = xmemdup0(s + 5, len - 5);
	r->name_len = len - 5;
	return NULL;
}

int
palette_add(struct palette *p, const char *name, const char *text, size_t len)
{
	size_t line = 0;
	int bad = 0;

	p->current = PALETTE_NONE;
	while (len) {
		const char *nl = memchr(text, '\n', len);
		size_t n = nl ? (size_t)(nl - text) : len;
		struct buf err = BUF_INIT;
		const char *wrong = parse_line(p, text, n, &err);

		line++;
		if (wrong) {
			msg("%s:%zu: %s", msg_str(name), line, wrong);
			bad = -1;
		}
		buf_done(&err);
		text += n + (nl != NULL);
		len -= n + (nl != NULL);
	}
	for (size_t i = 0; i < p->n; i++) {
		struct palette_class *k = &p->classes[i];

		if (!k->has_rgb && !k->by_crate) /* given by a later file */
			k->rgb = (struct rgb){0xd9, 0xd2, 0xc6};
	}
	return bad;
}

int
palette_add_file(struct palette *p, const char *path)
{
	FILE *f = fopen(path, "re");
	struct buf b = BUF_INIT;
	size_t n;
	int status = -1;

	if (f == NULL) {
		msg_errno("%s", msg_str(path));
		return -1;
	}
	do {
		buf_room(&b, 1 << 16);
		n = fread(b.p + b.len, 1, 1 << 16, f);
		b.len += n;
	} while (n > 0 && b.len <= FILE_MAX);
	if (ferror(f))
		msg_errno("%s", msg_str(path));
	else if (b.len > FILE_MAX)
		msg("%s: too long for a palette", msg_str(path));
	else
		status = palette_add(p, path, b.p, b.len);
	fclose(f);
	buf_done(&b);
	return status;
}

static bool
rule_matches(struct rule *r, const char *name, size_t len)
{
	if (r->rx == NULL)
		return bytes_same(r->name, r->name_len, name, len);
	return rx_match(r->rx, name, len) == 1;
}

int
palette_of(struct palette *p, const char *name, size_t len)
{
	int by_crate = PALETTE_NONE;

	for (size_t i = 0; i < p->n_rules; i++)
		if (rule_matches(&p->rules[i], name, len))
			return p->rules[i].class;
	for (size_t i = 0; i < p->n; i++) {
		if (strcmp(p->classes[i].id, "other") == 0)
			return (int)i;
		if (p->classes[i].by_crate)
			by_crate = (int)i;
	}
	return by_crate;
}

size_t
palette_count(const struct palette *p)
{
	return p->n;
}

const struct palette_class *
palette_class(const struct palette *p, size_t i)
{
	return &p->classes[i];
}
