/* SPDX-License-Identifier: ISC */
#include "names/rules.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "names/literal.h"
#include "names/name.h"
#include "names/rx.h"
#include "base/xalloc.h"

/* From so many rules on, finding a name's grams pays. */
enum { MANY = 8 };

enum action { RENAME, STRIP, FLAG };

struct rule {
	enum action action;
	unsigned flag;		 /* FLAG */
	struct name_parts parts; /* STRIP */
	struct rx *rx;		 /* RENAME, FLAG */
	char *literal;		 /* what every match contains, and one byte
				    of it */
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
	const char *p, *end = name->p + name->len;

	if (name->len < len)
		return false;
	p = name->p + len - 1;
	for (; p < end; p++) {
		p = memchr(p, literal[len - 1], (size_t)(end - p));
		if (p == NULL)
			return false;
		if (memcmp(p - (len - 1), literal, len) == 0)
			return true;
	}
	return false;
}

/* Whether the rule's pattern may match; for most this is false. */
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
	buf_str(name); /* of an empty name, too, there is a pointer */
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
