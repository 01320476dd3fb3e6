/* SPDX-License-Identifier: ISC */
/* Reads palette files. */
#include "colour/palette.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/buf.h"
#include "set/intern.h"
#include "base/msg.h"
#include "io/share.h"
#include "names/rx.h"
#include "base/xalloc.h"

/* place: how many rules there are before it. */
struct pattern {
	struct rx *rx;
	size_t place;
	int class;
};

/* The first rule for one whole name. */
struct name_rule {
	size_t place;
	int class;
};

enum { CLASSES_MAX = 1 << 16, FILE_MAX = 16 << 20 };

struct palette *
palette_new(void)
{
	struct palette *p = xcalloc(1, sizeof *p);

	p->current = p->other = PALETTE_NONE;
	p->names = intern_new();
	p->ids = intern_new();
	return p;
}

void
palette_free(struct palette *p)
{
	if (p == NULL)
		return;
	for (size_t i = 0; i < p->n_patterns; i++)
		rx_free(p->patterns[i].rx);
	for (size_t i = 0; i < p->n; i++)
		free(p->classes[i].legend);
	intern_free(p->names);
	intern_free(p->ids);
	free(p->name_rules);
	free(p->patterns);
	free(p->classes);
	free(p);
}

/* The class with that name, made if it is new; -1 when there are too many. */
static int
class_id(struct palette *p, const char *id, size_t len)
{
	uint32_t found = intern_id(p->ids, id, len);

	if (found < p->n)
		return (int)found;
	if (p->n == CLASSES_MAX)
		return -1;
	*xpush(p->classes, p->n, p->cap) =
	    (struct palette_class){.rgb = {0xd9, 0xd2, 0xc6}};
	if (bytes_is(id, len, "other"))
		p->other = (int)found;
	return (int)found;
}

static void
add_name(struct palette *p, const char *name, size_t len)
{
	uint32_t id = intern_id(p->names, name, len);

	if (id + 1 < intern_count(p->names)) /* the first one wins */
		return;
	*xitem(p->name_rules, id, p->cap_name_rules) =
	    (struct name_rule){p->n_rules++, p->current};
}

/* `COLOUR LEGEND` of a class that may have neither. */
static const char *
parse_class(struct palette_class *k, const char *s, size_t len)
{
	const char *close;
	size_t n = 0;

	len = bytes_trim(&s, len);
	if (bytes_starts(s, len, "by crate")) {
		k->by_crate = true;
		k->rgb = (struct rgb){0};
		n = strlen("by crate");
	} else if (len) {
		close = s[0] == 'r' ? memchr(s, ')', len) : NULL;
		while (n < len && s[n] != ' ' && s[n] != '\t')
			n++;
		if (close)
			n = (size_t)(close - s) + 1;
		if (rgb_parse(s, n, &k->rgb) != 0)
			return "no colour such as #a0b1c2";
	}
	s += n;
	len -= n;
	len = bytes_trim(&s, len);
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
	struct rgb rgb;

	if (rgb_parse(arrow + 2, len - at - 2, &rgb) != 0)
		return "no colour such as rgb(10,20,30)";
	p->current = class_id(p, arrow + 2, len - at - 2);
	if (p->current < 0)
		return "too many colours";
	p->classes[p->current].rgb = rgb;
	add_name(p, s, at);
	p->current = PALETTE_NONE;
	return NULL;
}

/* Returns what is wrong with the line, in a static text or in *err. */
static const char *
parse_line(struct palette *p, const char *s, size_t len, struct buf *err)
{
	const char *close, *arrow;

	len = bytes_trim(&s, len);
	if (len == 0 || *s == '#')
		return NULL;
	arrow = memmem(s, len, "->rgb(", 6);
	if (arrow) /* also of a name such as [unknown] */
		return parse_map(p, s, len, arrow);
	if (*s == '[' && (close = memchr(s, ']', len)) != NULL) {
		p->current = class_id(p, s + 1, (size_t)(close - s) - 1);
		if (p->current < 0)
			return "too many classes";
		return parse_class(&p->classes[p->current], close + 1,
		    len - (size_t)(close - s) - 1);
	}
	if (p->current == PALETTE_NONE)
		return "a rule before the first [class]";
	if (bytes_starts(s, len, "match ")) {
		struct rx *rx = rx_new(s + 6, len - 6, err);

		if (rx == NULL)
			return buf_str(err);
		*xpush(p->patterns, p->n_patterns, p->cap_patterns) =
		    (struct pattern){rx, p->n_rules++, p->current};
		return NULL;
	}
	if (!bytes_starts(s, len, "name "))
		return "neither [class] nor match nor name";
	add_name(p, s + 5, len - 5);
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
	return bad;
}

int
palette_add_file(struct palette *p, const char *path)
{
	struct buf b = BUF_INIT;
	int status = share_read(path, FILE_MAX, &b);

	if (status == 0)
		status = palette_add(p, path, b.p, b.len);
	buf_done(&b);
	return status;
}

int
palette_of(struct palette *p, const char *name, size_t len)
{
	uint32_t id = intern_find(p->names, name, len);
	const struct name_rule *own =
	    id == UINT32_MAX ? NULL : &p->name_rules[id];

	for (size_t i = 0; i < p->n_patterns; i++) {
		const struct pattern *rule = &p->patterns[i];

		if (own && own->place < rule->place)
			break;
		if (rx_match(rule->rx, name, len) == 1)
			return rule->class;
	}
	if (own)
		return own->class;
	if (p->other != PALETTE_NONE)
		return p->other;
	for (size_t i = 0; i < p->n; i++)
		if (p->classes[i].by_crate)
			return (int)i;
	return PALETTE_NONE;
}
