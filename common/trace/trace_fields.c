/* SPDX-License-Identifier: ISC */
/* A frame's number, a thread's header and the values of a [kst-...] line. */
#include "trace/trace.h"

#include <string.h>

#include "base/bytes.h"
#include "base/num.h"
#include "io/out.h"
#include "text/events.h"

size_t
trace_number(uint64_t n, char text[TRACE_NUMBER])
{
	size_t len;

	memcpy(text, "#   ", 4);
	if (n < 100) { /* nearly always */
		text[1 + (n > 9)] = (char)('0' + n % 10);
		if (n > 9)
			text[1] = (char)('0' + n / 10);
		return 4;
	}
	len = 1 + event_u64(text + 1, n);
	text[len] = ' ';
	return len + 1;
}

void
trace_put_number(uint64_t n)
{
	if (out.cap - out.len < TRACE_NUMBER)
		out_room(TRACE_NUMBER);
	out.len += trace_number(n, out.p + out.len);
}

/* The text between double quotes that closes a header, as gdb names threads. */
static bool
quoted_name(const char *p, size_t *len, const char **name, size_t *name_len)
{
	const char *q;

	if (*len < 3 || p[*len - 1] != '"')
		return false;
	q = memmem(p, *len - 1, " \"", 2);
	if (q == NULL)
		return false;
	*name = q + 2;
	*name_len = (size_t)(p + *len - 1 - *name);
	*len = (size_t)(q - p);
	return *name_len > 0;
}

/* Where `(EXTRA)` begins: after a `"NAME"`, whatever that holds. */
static const char *
find_extra(const char *p, size_t n)
{
	const char *quote = memchr(p, '"', n), *end = p + n;
	const char *extra = memchr(p, '(', n);

	if (quote)
		quote = memmem(p, n, " \"", 2);
	if (extra == NULL || quote == NULL || extra < quote)
		return extra;
	for (const char *q = end - 3; q > quote; q--)
		if (memcmp(q, "\" (", 3) == 0)
			return q + 2;
	return extra;
}

/* `[running]`, `[halted ]`, `[waiting]` at the end of p[0..*len): taken off. */
static enum trace_state
cut_state(const char *p, size_t *len)
{
#define WORD(id, word) [id] = "[" word,
	static const char *const words[] = {TRACE_STATES(WORD)};
	const size_t n = sizeof words / sizeof *words;
	const char *b = NULL;
	size_t state = STATE_RUNNING;

	if (*len < 3 || p[*len - 1] != ']')
		return STATE_UNKNOWN;
	b = memrchr(p, '[', *len);
	if (b == NULL)
		return STATE_UNKNOWN;
	while (
	    state < n && !bytes_starts(b, (size_t)(p + *len - b), words[state]))
		state++;
	if (state == n)
		return STATE_UNKNOWN;
	*len = (size_t)(b - p);
	while (*len > 0 && p[*len - 1] == ' ')
		--*len;
	return (enum trace_state)state;
}

/* The digits after `CPU#`; label becomes `CPU#N`. */
static void
find_cpu(const char *p, size_t len, struct trace_thread *th)
{
	const char *c = p;
	uint64_t n;
	size_t k = 4;

	if (!bytes_starts(p, len, "CPU#")) /* usually it does */
		c = memmem(p, len, "CPU#", 4);
	if (c == NULL || (c != p && c[-1] != ' ' && c[-1] != '('))
		return;
	while (c + k < p + len && c[k] >= '0' && c[k] <= '9')
		k++;
	if (num_u64(c + 4, k - 4, &n) != 0 || n > UINT32_MAX)
		return;
	th->has_cpu = true;
	th->cpu = (uint32_t)n;
	th->label = c;
	th->label_len = k;
}

void
trace_thread_parse(const char *text, size_t len, struct trace_thread *thread)
{
	const char *p = memchr(text, '(', len) + 1, *extra, *name;
	size_t n = len - (size_t)(p - text) - 2, extra_len, name_len;
	bool named = quoted_name(p, &n, &name, &name_len);

	/* p[0..n) is `PTID (EXTRA)` or `PTID` */
	memset(thread, 0, sizeof *thread);
	extra = find_extra(p, n);
	if (extra && p[n - 1] == ')') {
		extra++;
		extra_len = (size_t)(p + n - 1 - extra);
	} else {
		extra = p;
		extra_len = n;
	}
	thread->state = cut_state(extra, &extra_len);
	thread->label = extra_len ? extra : p;
	thread->label_len = extra_len ? extra_len : n;
	if (named) {
		thread->label = name;
		thread->label_len = name_len;
	}
	if (thread->label_len == 0) {
		thread->label = "thread";
		thread->label_len = 6;
	}
	find_cpu(extra, extra_len, thread);
}

/* The end of the value at p; *quoted says whether it stands in quotes. */
static const char *
value_end(const char *p, const char *end, bool *quoted)
{
	*quoted = p < end && *p == '"';
	if (!*quoted) {
		while (p < end && *p != ' ' && *p != ']')
			p++;
		return p;
	}
	for (p++; p < end && *p != '"'; p++)
		if (*p == '\\' && p + 1 < end)
			p++;
	return p < end ? p : end;
}

bool
trace_meta_next(struct piece *text, struct piece *key, struct piece *value)
{
	const char *p = text->p, *end = p + text->len, *stop;
	bool quoted;

	do {
		while (p < end && *p == ' ')
			p++;
		key->p = p;
		while (p < end && *p != '=' && *p != ' ')
			p++;
	} while (p < end && *p == ' ');
	text->len = 0;
	if (p == end)
		return false;
	key->len = (size_t)(p - key->p);
	stop = value_end(++p, end, &quoted);
	value->p = p + quoted;
	value->len = (size_t)(stop - value->p);
	p = stop + (quoted && stop < end);
	*text = (struct piece){p, (size_t)(end - p)};
	return true;
}

bool
trace_meta_get(const char *text, size_t len, const char *key,
    const char **value, size_t *value_len)
{
	const char *p = len ? memchr(text, ' ', len) : NULL;
	struct piece rest = {p, p ? (size_t)(text + len - p) : 0}, k, v;

	while (p != NULL && trace_meta_next(&rest, &k, &v))
		if (bytes_is(k.p, k.len, key)) {
			*value = v.p;
			*value_len = v.len;
			return true;
		}
	return false;
}

void
trace_meta_text(struct buf *b, const char *value, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		if (value[i] == '\\' && i + 1 < len)
			i++;
		buf_addc(b, value[i]);
	}
}

void
trace_meta_add(struct buf *b, const char *value, size_t len)
{
	buf_addc(b, '"');
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)value[i];

		if (c == '"' || c == '\\')
			buf_addc(b, '\\');
		buf_addc(b, c < 0x20 || c == 0x7f ? '?' : (char)c);
	}
	buf_addc(b, '"');
}
