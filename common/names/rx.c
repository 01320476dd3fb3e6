/* SPDX-License-Identifier: ISC */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "names/rx.h"

#include <ctype.h>
#include <pcre2.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
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

struct rx {
	pcre2_code *code;
	pcre2_match_data *data;
	pcre2_match_context *context;
	pcre2_jit_stack *stack;
	char needs;
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
	pcre2_jit_compile(rx->code, PCRE2_JIT_COMPLETE);
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
	return rx;
}

int
rx_option(void *rx, const char *arg, struct buf *err)
{
	struct rx **to = rx;
	struct buf why = BUF_INIT;

	rx_free(*to);
	*to = rx_new(arg, strlen(arg), &why);
	if (*to == NULL)
		buf_printf(err, "is a wrong pattern: %s", buf_str(&why));
	buf_done(&why);
	return *to ? 0 : -1;
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
	free(rx);
}

char
rx_needs(const struct rx *rx)
{
	return rx->needs;
}

int
rx_match(struct rx *rx, const char *subject, size_t len)
{
	int n = pcre2_match(
	    rx->code, (PCRE2_SPTR)subject, len, 0, 0, rx->data, rx->context);

	if (n >= 0)
		return 1;
	if (n == PCRE2_ERROR_NOMEMORY)
		msg_die(EXIT_SYSTEM, "out of memory");
	return n == PCRE2_ERROR_NOMATCH ? 0 : RX_LIMIT;
}

int
rx_replace(struct rx *rx, const char *subject, size_t len, const char *text,
    size_t text_len, struct buf *out)
{
	const uint32_t how = PCRE2_SUBSTITUTE_GLOBAL |
			     PCRE2_SUBSTITUTE_OVERFLOW_LENGTH |
			     PCRE2_SUBSTITUTE_UNSET_EMPTY;
	PCRE2_SIZE size, need = len + text_len + 64;
	int n = rx_match(rx, subject, len);

	out->len = 0;
	if (n != 1)
		return n; /* no copy is made for the usual case */
	if (len > REPLACE_MAX)
		return RX_LIMIT;
	do {
		buf_room(out, need);
		size = out->cap;
		n = pcre2_substitute(rx->code, (PCRE2_SPTR)subject, len, 0, how,
		    rx->data, rx->context, (PCRE2_SPTR)text, text_len,
		    (PCRE2_UCHAR *)out->p, &size);
		need = size;
	} while (
	    n == PCRE2_ERROR_NOMEMORY && need > out->cap && need < REPLACE_MAX);
	if (n < 0 || size > REPLACE_MAX)
		return RX_LIMIT;
	out->len = size;
	return n;
}

/* Whether the pattern has the group that p[0..len) names. */
static bool
has_group(struct rx *rx, const char *p, size_t len)
{
	uint32_t groups = 0;
	uint64_t n;
	char name[64];

	pcre2_pattern_info(rx->code, PCRE2_INFO_CAPTURECOUNT, &groups);
	if (num_u64(p, len, &n) == 0)
		return n <= groups;
	if (len == 0 || len >= sizeof name)
		return false;
	memcpy(name, p, len);
	name[len] = 0;
	return pcre2_substring_number_from_name(rx->code, (PCRE2_SPTR)name) > 0;
}

int
rx_check_text(struct rx *rx, const char *text, size_t len, struct buf *err)
{
	const char *p = text, *end = text + len;

	while (p < end) {
		const char *b;
		bool brace;

		if (*p++ != '$')
			continue;
		if (p < end && *p == '$') {
			p++;
			continue;
		}
		brace = p < end && *p == '{';
		b = p += brace;
		while (p < end && (isalnum((unsigned char)*p) || *p == '_'))
			p++;
		if ((brace && (p == end || *p != '}')) ||
		    !has_group(rx, b, (size_t)(p - b))) {
			buf_printf(err, "no group '%s' in the pattern",
			    msg_text(b, (size_t)(p - b)));
			return -1;
		}
	}
	return 0;
}
