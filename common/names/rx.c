/* SPDX-License-Identifier: ISC */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "names/rx.h"

#include <ctype.h>
#include <pcre2.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/xalloc.h"

/* Names are short; a pattern that needs more steps is wrong. */
enum {
	MATCH_LIMIT = 200000,
	DEPTH_LIMIT = 1000,
	HEAP_KIB = 4096,
	JIT_STACK_MAX = 1 << 19,
	PATTERN_MAX = 1 << 16,
	REPLACE_MAX = 1 << 14, /* PCRE2 looks at all of it for each match */
	HEAP_FAILED = 121      /* a code of pcre2_compile() without a name */
};

/* A piece of what stands for a match: text as it is, then a group. */
struct part {
	struct piece before;
	uint64_t group;
	bool has_group;
};

struct rx {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
	pcre2_jit_stack *stack;
	bool jit;
	char needs;
	char *pattern;
	char *text; /* what stands for a match, as it is written */
	struct part *part;
	size_t n_parts, cap_parts;
};

static void
say_error(int code, struct buf *err)
{
	PCRE2_UCHAR text[256];

	pcre2_get_error_message(code, text, sizeof text);
	buf_adds(err, (const char *)text);
}

static char
needed_byte(const struct rx *rx)
{
	static const uint32_t types[] = {
	    PCRE2_INFO_LASTCODETYPE, PCRE2_INFO_FIRSTCODETYPE};
	static const uint32_t units[] = {
	    PCRE2_INFO_LASTCODEUNIT, PCRE2_INFO_FIRSTCODEUNIT};

	for (int i = 0; i < 2; i++) {
		uint32_t type = 0, c = 0;

		pcre2_pattern_info(rx->code, types[i], &type);
		pcre2_pattern_info(rx->code, units[i], &c);
		/* a letter may stand for both cases; `:` and `_` are common */
		if (type == 1 && c < 0x80 && ispunct((int)c) && c != ':' &&
		    c != '_')
			return (char)c;
	}
	return 0;
}

struct rx *
rx_new(const char *pattern, size_t len, struct buf *err)
{
	struct rx *rx = xcalloc(1, sizeof *rx);
	pcre2_compile_context *cc = pcre2_compile_context_create(NULL);
	PCRE2_SIZE at = 0;
	int code = 0;

	if (cc == NULL)
		msg_die(EXIT_SYSTEM, "out of memory");
	pcre2_set_max_pattern_length(cc, PATTERN_MAX);
	rx->code = pcre2_compile((PCRE2_SPTR)pattern, len,
	    PCRE2_UTF | PCRE2_MATCH_INVALID_UTF | PCRE2_NEVER_BACKSLASH_C,
	    &code, &at, cc);
	pcre2_compile_context_free(cc);
	if (code == PCRE2_ERROR_NOMEMORY || code == HEAP_FAILED)
		msg_die(EXIT_SYSTEM, "out of memory");
	if (rx->code == NULL) {
		say_error(code, err);
		buf_printf(err, " at offset %zu", (size_t)at);
		free(rx);
		return NULL;
	}
	rx->jit = pcre2_jit_compile(rx->code, PCRE2_JIT_COMPLETE) == 0;
	rx->data = pcre2_match_data_create_from_pattern(rx->code, NULL);
	rx->context = pcre2_match_context_create(NULL);
	rx->stack = pcre2_jit_stack_create(1 << 15, JIT_STACK_MAX, NULL);
	if (rx->data == NULL || rx->context == NULL)
		msg_die(EXIT_SYSTEM, "out of memory");
	pcre2_set_match_limit(rx->context, MATCH_LIMIT);
	pcre2_set_depth_limit(rx->context, DEPTH_LIMIT);
	pcre2_set_heap_limit(rx->context, HEAP_KIB);
	if (rx->stack)
		pcre2_jit_stack_assign(rx->context, NULL, rx->stack);
	rx->needs = needed_byte(rx);
	rx->pattern = xmemdup0(pattern, len);
	return rx;
}

void
rx_free(struct rx *rx)
{
	if (rx == NULL)
		return;
	pcre2_code_free(rx->code);
	pcre2_match_data_free(rx->data);
	pcre2_match_context_free(rx->context);
	if (rx->stack)
		pcre2_jit_stack_free(rx->stack);
	free(rx->pattern);
	free(rx->text);
	free(rx->part);
	free(rx);
}

const char *
rx_pattern(const struct rx *rx)
{
	return rx->pattern;
}

char
rx_needs(const struct rx *rx)
{
	return rx->needs;
}

/* Matches from a place on; what it found is in rx->data. */
static int
match_at(
    struct rx *rx, const char *subject, size_t len, size_t at, uint32_t how)
{
	const PCRE2_SPTR p = (PCRE2_SPTR)subject;
	/* the same without checks of arguments, which cost half as much again
	 */
	int n = rx->jit && how == 0 ? pcre2_jit_match(rx->code, p, len, at, 0,
					  rx->data, rx->context)
				    : pcre2_match(rx->code, p, len, at, how,
					  rx->data, rx->context);

	if (n >= 0)
		return 1;
	if (n == PCRE2_ERROR_NOMEMORY)
		msg_die(EXIT_SYSTEM, "out of memory");
	return n == PCRE2_ERROR_NOMATCH ? 0 : RX_LIMIT;
}

int
rx_match(struct rx *rx, const char *subject, size_t len)
{
	return match_at(rx, subject, len, 0, 0);
}

/* A group's number; false: the pattern has none that p[0..len) names. */
static bool
find_group(struct rx *rx, const char *p, size_t len, uint64_t *number)
{
	uint32_t groups = 0;
	char name[64];
	int n;

	pcre2_pattern_info(rx->code, PCRE2_INFO_CAPTURECOUNT, &groups);
	if (num_u64(p, len, number) == 0)
		return *number <= groups;
	if (len == 0 || len >= sizeof name)
		return false;
	memcpy(name, p, len);
	name[len] = 0;
	n = pcre2_substring_number_from_name(rx->code, (PCRE2_SPTR)name);
	*number = (uint64_t)n;
	return n > 0;
}

/*
 * Takes the text as far as its next group, whose name it sets: `$1`, `${1}`,
 * `$name` or `${name}`. False: there is no more group, or it has no end.
 */
static bool
next_group(struct piece *text, struct piece *before, struct piece *name)
{
	const char *end = text->p + text->len, *p, *b;
	bool brace, good;

	p = text->len ? memchr(text->p, '$', text->len) : NULL;
	*before =
	    (struct piece){text->p, p ? (size_t)(p - text->p) : text->len};
	*name = (struct piece){"", 0};
	if (p == NULL) {
		text->len = 0;
		return true;
	}
	if (++p < end && *p == '$') { /* stands for one */
		before->len++;
		*text = (struct piece){p + 1, (size_t)(end - p - 1)};
		return true;
	}
	brace = p < end && *p == '{';
	b = p += brace;
	while (p < end && (isalnum((unsigned char)*p) || *p == '_'))
		p++;
	*name = (struct piece){b, (size_t)(p - b)};
	good = !brace || (p < end && *p == '}');
	p += brace && good;
	*text = (struct piece){p, (size_t)(end - p)};
	return good && name->len > 0;
}

int
rx_set_text(struct rx *rx, const char *text, size_t len, struct buf *err)
{
	struct piece rest, before, name;

	free(rx->text);
	rx->text = xmemdup0(text, len);
	rx->n_parts = 0;
	rest = (struct piece){rx->text, len};
	while (rest.len > 0) {
		const bool good = next_group(&rest, &before, &name);
		struct part *to = xpush(rx->part, rx->n_parts, rx->cap_parts);

		*to =
		    (struct part){.before = before, .has_group = name.len > 0};
		if (good && (name.len == 0 ||
				find_group(rx, name.p, name.len, &to->group)))
			continue;
		rx->n_parts = 0;
		buf_printf(err, "no group '%s' in the pattern",
		    msg_text(name.p, name.len));
		return -1;
	}
	return 0;
}

/* Appends the text for what matched last. */
static void
expand(struct rx *rx, const char *subject, struct buf *out)
{
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(rx->data);

	for (size_t i = 0; i < rx->n_parts; i++) {
		const struct part *t = &rx->part[i];
		const PCRE2_SIZE *g = at + 2 * t->group;

		buf_add(out, t->before.p, t->before.len);
		if (t->has_group && g[0] < g[1] && g[1] != PCRE2_UNSET)
			buf_add(out, subject + g[0], g[1] - g[0]);
	}
}

int
rx_replace(struct rx *rx, const char *subject, size_t len, struct buf *out)
{
	const PCRE2_SIZE *at = pcre2_get_ovector_pointer(rx->data);
	size_t copied = 0, from = 0;
	uint32_t how = 0;
	int found = 0, n;

	out->len = 0;
	while ((n = match_at(rx, subject, len, from, how)) == 1 ||
	       (n == 0 && how && from < len)) {
		if (n == 0) { /* not at the end of an empty match: go on */
			for (from++;
			     from < len &&
			     ((unsigned char)subject[from] & 0xc0) == 0x80;)
				from++;
			how = 0;
			continue;
		}
		/* \K can begin a match before the last one, or after its end */
		if (len > REPLACE_MAX || at[0] < copied || at[1] < at[0])
			break;
		buf_add(out, subject + copied, at[0] - copied);
		how = at[0] == at[1] ? PCRE2_NOTEMPTY_ATSTART | PCRE2_ANCHORED
				     : 0;
		copied = from = at[1];
		expand(rx, subject, out);
		if (out->len > REPLACE_MAX)
			break;
		found++;
	}
	if (found > 0 && n == 0)
		buf_add(out, subject + copied, len - copied);
	if (n != 0 || out->len > REPLACE_MAX) {
		out->len = 0;
		return RX_LIMIT;
	}
	return found;
}
