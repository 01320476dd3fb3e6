/* SPDX-License-Identifier: ISC */
#include "names/rules.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "names/literal.h"
#include "names/name.h"
#include "names/rx.h"
#include "base/xalloc.h"

/* From so many rules on, a sieve pays. */
enum { MANY = 32 };

enum action { RENAME, STRIP, FLAG };

struct rule {
	enum action action;
	unsigned flag;		/* FLAG */
	enum name_part part;	/* STRIP */
	struct rx *rx;		/* RENAME, FLAG */
	struct literal literal; /* what every match contains */
	char byte;		/* one that it contains, or 0 */
	uint32_t bit;		/* of that byte, unless others have taken all */
	size_t text_len;	/* RENAME; 0: what matches is erased */
	char *line;		/* as in a file */
};

struct rules {
	struct rule *rules;
	size_t n, cap;
	struct buf tmp;
	struct sieve *sieve; /* of all rules' literals, if they are many */
	uint32_t next_bit;
	/* of the name that was looked at last: */
	bool is_new;	/* the sieve has not seen it yet */
	uint32_t lacks; /* bits of bytes that it is known to lack */
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
	struct rules *r = xcalloc(1, sizeof *r);

	r->next_bit = 1;
	return r;
}

void
rules_free(struct rules *r)
{
	if (r == NULL)
		return;
	for (size_t i = 0; i < r->n; i++) {
		rx_free(r->rules[i].rx);
		free((char *)r->rules[i].literal.p);
		free(r->rules[i].line);
	}
	free(r->rules);
	buf_done(&r->tmp);
	sieve_free(r->sieve);
	free(r);
}

size_t
rules_count(const struct rules *r)
{
	return r->n;
}

unsigned
rules_flags(const struct rules *r)
{
	unsigned flags = 0;

	for (size_t i = 0; i < r->n; i++)
		flags |= r->rules[i].flag;
	return flags;
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
	static const struct {
		const char *what;
		enum name_part part;
		char byte;
	} parts[] = {{"generics", NAME_GENERICS, '<'},
	    {"parameters", NAME_PARAMETERS, '('}, {"suffix", NAME_SUFFIX, '.'}};

	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		if (bytes_is(what, len, parts[i].what)) {
			rule->part = parts[i].part;
			rule->byte = parts[i].byte;
			return 0;
		}
	}
	buf_printf(err,
	    "strip takes 'generics', 'parameters' or 'suffix', not '%s'",
	    msg_text(what, len));
	return -1;
}

static int
make_pattern(struct rule *rule, const struct rule_words *w, struct buf *err)
{
	char *literal;

	if (w->pattern_len == 0) {
		buf_adds(err, "the pattern is missing");
		return -1;
	}
	rule->rx = rx_new(w->pattern, w->pattern_len, err);
	if (rule->rx == NULL)
		return -1;
	if (rule->action == RENAME &&
	    rx_set_text(rule->rx, w->text, w->text_len, err) != 0) {
		rx_free(rule->rx);
		return -1;
	}
	rule->text_len = w->text_len;
	literal = xmalloc(w->pattern_len);
	rule->literal.len = literal_of(w->pattern, w->pattern_len, literal);
	rule->literal.p = literal;
	rule->byte = rx_needs(rule->rx);
	return 0;
}

/* Rules that need the same byte share its bit. */
static uint32_t
bit_of(struct rules *r, char byte)
{
	uint32_t bit = r->next_bit;

	for (size_t i = 0; i < r->n; i++)
		if (r->rules[i].byte == byte)
			return r->rules[i].bit;
	r->next_bit <<= byte != 0;
	return byte ? bit : 0;
}

int
rules_add(struct rules *r, const struct rule_words *w, struct buf *err)
{
	struct rule rule = {0};
	struct buf line = BUF_INIT;
	size_t i;

	for (i = 0; i < sizeof actions / sizeof *actions; i++)
		if (strcmp(w->action, actions[i].word) == 0)
			break;
	if (i == sizeof actions / sizeof *actions) {
		buf_printf(err, "unknown action '%s'", msg_str(w->action));
		return -1;
	}
	if (strcmp(w->action, "rename") != 0 && w->text_len != 0) {
		buf_printf(err, "write a blank in the pattern as \\x20");
		return -1;
	}
	rule.action = actions[i].action;
	rule.flag = actions[i].flag;
	if (rule.action == STRIP
		? make_strip(&rule, w->pattern, w->pattern_len, err)
		: make_pattern(&rule, w, err))
		return -1;
	rule.bit = bit_of(r, rule.byte);
	sieve_free(r->sieve); /* is made again for all */
	r->sieve = NULL;
	buf_printf(&line, "%s %.*s%s%.*s", w->action, (int)w->pattern_len,
	    w->pattern, w->text_len ? " " : "", (int)w->text_len, w->text);
	rule.line = xstrdup(buf_str(&line));
	buf_done(&line);
	*xpush(r->rules, r->n, r->cap) = rule;
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

static void
make_sieve(struct rules *r)
{
	struct literal *all = xcalloc(r->n, sizeof *all);

	for (size_t i = 0; i < r->n; i++)
		all[i] = r->rules[i].literal;
	r->sieve = sieve_new(all, r->n);
	free(all);
}

/* The first rule from number i on that may match; for most names none does. */
static size_t
next_rule(struct rules *r, const struct buf *name, size_t i)
{
	if (r->is_new && r->n >= MANY) {
		if (r->sieve == NULL)
			make_sieve(r);
		sieve_find(r->sieve, name->p, name->len);
	}
	r->is_new = false;
	for (; i < r->n; i++) {
		const struct rule *rule;

		if (r->sieve && (i = sieve_next(r->sieve, i)) == r->n)
			break;
		rule = &r->rules[i];
		if (rule->bit & r->lacks)
			continue;
		if (rule->byte && !memchr(name->p, rule->byte, name->len)) {
			r->lacks |= rule->bit;
			continue;
		}
		if (rule->literal.len == 0 ||
		    (r->sieve && rule->literal.len >= GRAM) ||
		    has_literal(name, rule->literal.p, rule->literal.len))
			break;
	}
	return i;
}

/* Notes that the name is another, or what erasing has left of it. */
static void
look_anew(struct rules *r, bool erased)
{
	r->is_new = true;
	if (!erased)
		r->lacks = 0;
}

unsigned
rules_apply(struct rules *r, struct buf *name)
{
	unsigned flags = 0;

	look_anew(r, false);
	buf_str(name); /* of an empty name, too, there is a pointer */
	for (size_t i = 0; (i = next_rule(r, name, i)) < r->n; i++) {
		struct rule *rule = &r->rules[i];
		int n;

		r->tmp.len = 0;
		switch (rule->action) {
		case STRIP:
			name_strip(name->p, name->len, rule->part, &r->tmp);
			n = 1;
			break;
		case RENAME:
			n = rx_replace(rule->rx, name->p, name->len, &r->tmp);
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
			look_anew(r, rule->text_len == 0);
		}
	}
	return flags;
}

bool
rules_may_match(struct rules *r, const struct buf *name)
{
	return next_rule(r, name, 0) < r->n;
}
