/* SPDX-License-Identifier: ISC */
#include "names/rules.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "names/literal.h"
#include "names/name.h"
#include "names/rx.h"
#include "base/share.h"
#include "base/xalloc.h"

enum {
	RULE_FILE_MAX = 1 << 20,
	MANY = 8 /* rules; from then on a name's grams are worth their time */
};

enum action { RENAME, STRIP, FLAG };

struct rule {
	enum action action;
	unsigned flag;		 /* FLAG */
	struct name_parts parts; /* STRIP */
	struct rx *rx;		 /* RENAME, FLAG */
	char *literal;		 /* what matches need to have, and a byte */
	size_t literal_len;
	uint16_t bits[GRAMS_MAX]; /* of the literal */
	uint8_t n_bits;
	char byte;
	char *text; /* RENAME */
	size_t text_len;
	char *line; /* as in a file */
};

struct rules {
	struct rule *rules;
	size_t n, cap;
	struct buf tmp;
	struct grams grams; /* of the name, if has_grams */
	bool has_grams;
};

static const struct {
	const char *word;
	enum action action;
	unsigned flag;
} actions[] = {
    {"erase", RENAME, 0},
    {"rename", RENAME, 0},
    {"strip", STRIP, 0},
    {"skip", FLAG, RULE_SKIP},
    {"skip-to", FLAG, RULE_SKIP_TO},
    {"skip-past", FLAG, RULE_SKIP_PAST},
    {"cut-below", FLAG, RULE_CUT_BELOW},
    {"drop", FLAG, RULE_DROP},
    {"collapse", FLAG, RULE_COLLAPSE},
};

struct rules *
rules_new(void)
{
	return xcalloc(1, sizeof(struct rules));
}

void
rules_free(struct rules *r)
{
	if (r == NULL)
		return;
	for (size_t i = 0; i < r->n; i++) {
		rx_free(r->rules[i].rx);
		free(r->rules[i].text);
		free(r->rules[i].literal);
		free(r->rules[i].line);
	}
	free(r->rules);
	buf_done(&r->tmp);
	free(r);
}

size_t
rules_count(const struct rules *r)
{
	return r->n;
}

void
rules_list(const struct rules *r, struct buf *out)
{
	for (size_t i = 0; i < r->n; i++) {
		buf_adds(out, r->rules[i].line);
		buf_addc(out, '\n');
	}
}

static int
make_strip(struct rule *rule, const char *what, size_t len, struct buf *err)
{
	rule->parts.generics = bytes_is(what, len, "generics");
	rule->parts.parameters = bytes_is(what, len, "parameters");
	if (rule->parts.generics || rule->parts.parameters)
		return 0;
	buf_printf(err, "strip takes 'generics' or 'parameters', not '%s'",
	    msg_text(what, len));
	return -1;
}

static int
make_pattern(struct rule *rule, const char *pattern, size_t pattern_len,
    const char *text, size_t text_len, struct buf *err)
{
	if (pattern_len == 0) {
		buf_adds(err, "the pattern is missing");
		return -1;
	}
	rule->rx = rx_new(pattern, pattern_len, err);
	if (rule->rx == NULL)
		return -1;
	if (rule->action == RENAME &&
	    rx_check_text(rule->rx, text, text_len, err) != 0) {
		rx_free(rule->rx);
		return -1;
	}
	rule->text = xmemdup0(text, text_len);
	rule->text_len = text_len;
	rule->byte = rx_needs(rule->rx);
	rule->literal = xmalloc(pattern_len);
	rule->literal_len = literal_of(pattern, pattern_len, rule->literal);
	rule->n_bits = grams_some(rule->literal, rule->literal_len, rule->bits);
	return 0;
}

int
rules_add(struct rules *r, const char *action, const char *pattern,
    size_t pattern_len, const char *text, size_t text_len, struct buf *err)
{
	struct rule rule = {0};
	struct buf line = BUF_INIT;
	size_t i;

	for (i = 0; i < sizeof actions / sizeof *actions; i++)
		if (strcmp(action, actions[i].word) == 0)
			break;
	if (i == sizeof actions / sizeof *actions) {
		buf_printf(err, "unknown action '%s'", msg_str(action));
		return -1;
	}
	if (strcmp(action, "rename") != 0 && text_len != 0) {
		buf_printf(err, "a blank in the pattern is written \\x20");
		return -1;
	}
	rule.action = actions[i].action;
	rule.flag = actions[i].flag;
	if (rule.action == STRIP ? make_strip(&rule, pattern, pattern_len, err)
				 : make_pattern(&rule, pattern, pattern_len,
				       text, text_len, err))
		return -1;
	r->rules = xgrow(r->rules, r->n + 1, &r->cap, sizeof *r->rules);
	buf_printf(&line, "%s %.*s%s%.*s", action, (int)pattern_len, pattern,
	    text_len ? " " : "", (int)text_len, text);
	rule.line = xstrdup(buf_str(&line));
	buf_done(&line);
	r->rules[r->n++] = rule;
	return 0;
}

struct field {
	const char *p;
	size_t len;
};

/* The next word of *p, which moves past the blanks after it. */
static struct field
next_word(const char **p, const char *end)
{
	struct field f = {*p, 0};

	while (*p < end && **p != ' ' && **p != '\t')
		++*p;
	f.len = (size_t)(*p - f.p);
	while (*p < end && (**p == ' ' || **p == '\t'))
		++*p;
	return f;
}

/* Whether the group stands in the comma-separated list. */
static bool
in_list(const char *list, const char *p, size_t len)
{
	while (list && *list) {
		size_t n = strcspn(list, ",");

		if (bytes_same(list, n, p, len))
			return true;
		list += n + (list[n] == ',');
	}
	return false;
}

static int
add_line(struct rules *r, const char *p, const char *end, struct buf *err)
{
	struct field word = next_word(&p, end), pattern = next_word(&p, end);
	char action[32];

	if (word.len >= sizeof action) {
		buf_printf(
		    err, "unknown action '%s'", msg_text(word.p, word.len));
		return -1;
	}
	memcpy(action, word.p, word.len);
	action[word.len] = 0;
	return rules_add(
	    r, action, pattern.p, pattern.len, p, (size_t)(end - p), err);
}

/* Visits a rule file's lines and says which are in groups left out. */
struct lines {
	const char *p, *end, *without;
	const char *line, *line_end; /* the last one, trimmed */
	size_t n;
	bool left_out;
};

static bool
next_line(struct lines *l)
{
	const char *nl, *b = l->p, *e;

	if (l->p >= l->end)
		return false;
	nl = memchr(l->p, '\n', (size_t)(l->end - l->p));
	e = nl ? nl : l->end;
	l->p = nl ? nl + 1 : l->end;
	l->n++;
	while (b < e && (*b == ' ' || *b == '\t'))
		b++;
	while (b < e && strchr(" \t\r", e[-1]) && e[-1])
		e--;
	if (b < e && *b == '[' && e[-1] == ']')
		l->left_out = in_list(l->without, b + 1, (size_t)(e - b) - 2);
	l->line = b;
	l->line_end = e;
	return true;
}

int
rules_add_text(struct rules *r, const char *file, const char *text, size_t len,
    const char *without)
{
	struct lines l = {.p = text, .end = text + len, .without = without};
	struct buf err = BUF_INIT;
	int status = 0;

	while (next_line(&l)) {
		const char *b = l.line, *e = l.line_end;

		if (l.left_out || b == e || *b == '#' ||
		    (*b == '[' && e[-1] == ']'))
			continue;
		err.len = 0;
		if (add_line(r, b, e, &err) != 0) {
			msg("%s:%zu: %s", msg_str(file), l.n, buf_str(&err));
			status = -1;
		}
	}
	buf_done(&err);
	return status;
}

void
rules_text(const char *text, size_t len, const char *without, struct buf *out)
{
	struct lines l = {.p = text, .end = text + len, .without = without};

	while (next_line(&l)) {
		if (l.left_out)
			continue;
		buf_add(out, l.line, (size_t)(l.line_end - l.line));
		buf_addc(out, '\n');
	}
}

int
rules_add_file(struct rules *r, const char *name)
{
	struct buf path = BUF_INIT, text = BUF_INIT;
	int status = -1;
	FILE *f = NULL;

	if (share_find("rules", name, ".rules", &path) == 0)
		f = fopen(path.p, "re");
	if (f) {
		size_t n;

		do {
			buf_room(&text, 1 << 14);
			n = fread(text.p + text.len, 1, 1 << 14, f);
			text.len += n;
		} while (n && text.len <= RULE_FILE_MAX);
		if (ferror(f))
			msg_errno("%s", msg_str(path.p));
		else if (text.len > RULE_FILE_MAX)
			msg("%s: larger than %d bytes", msg_str(path.p),
			    RULE_FILE_MAX);
		else
			status =
			    rules_add_text(r, path.p, text.p, text.len, NULL);
		fclose(f);
	} else {
		msg_errno("rules '%s'", msg_str(name));
	}
	buf_done(&path);
	buf_done(&text);
	return status;
}

static void
swap(struct buf *a, struct buf *b)
{
	struct buf t = *a;

	*a = *b;
	*b = t;
}

/* Literals are short, and their last byte is rarer than their first. */
static bool
has_literal(const struct buf *name, const char *literal, size_t len)
{
	const char *p = name->p + len - 1, *end = name->p + name->len;

	if (name->len < len)
		return false;
	for (; p < end; p++) {
		p = memchr(p, literal[len - 1], (size_t)(end - p));
		if (p == NULL)
			return false;
		if (memcmp(p - (len - 1), literal, len) == 0)
			return true;
	}
	return false;
}

/* Whether the rule's pattern may match: most are known not to. */
static inline bool
may_match(struct rules *r, const struct rule *rule, const struct buf *name)
{
	if (rule->byte && memchr(name->p, rule->byte, name->len) == NULL)
		return false;
	if (rule->literal_len == 0)
		return true;
	if (r->n < MANY)
		return has_literal(name, rule->literal, rule->literal_len);
	if (!r->has_grams)
		grams_of(&r->grams, name->p, name->len);
	r->has_grams = true;
	return grams_may_have(&r->grams, rule->bits, rule->n_bits);
}

unsigned
rules_apply(struct rules *r, struct buf *name)
{
	unsigned flags = 0;

	r->has_grams = false;
	for (size_t i = 0; i < r->n; i++) {
		struct rule *rule = &r->rules[i];
		int n;

		if (rule->rx && !may_match(r, rule, name))
			continue;
		r->tmp.len = 0;
		switch (rule->action) {
		case STRIP:
			n = 0;
			if (memchr(name->p, rule->parts.generics ? '<' : '(',
				name->len) == NULL)
				break;
			name_strip(name->p, name->len, rule->parts, &r->tmp);
			n = 1;
			break;
		case RENAME:
			n = rx_replace(rule->rx, name->p, name->len, rule->text,
			    rule->text_len, &r->tmp);
			break;
		default:
			n = rx_match(rule->rx, name->p, name->len);
			if (n == 1)
				flags |= rule->flag;
			break;
		}
		if (n == RX_LIMIT)
			flags |= RULE_LIMIT;
		else if (n > 0 && r->tmp.len > 0) {
			swap(name, &r->tmp);
			r->has_grams = false;
		}
	}
	return flags;
}
