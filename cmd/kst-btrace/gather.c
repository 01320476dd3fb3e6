/* SPDX-License-Identifier: ISC */
/* Finds where each printed stack begins and ends. */
#include "gather.h"

#include <string.h>

#include "base/bytes.h"
#include "base/num.h"
#include "key.h"

/* Appends to the stack's text, as far as there is room. */
static void
key_add(struct gather *g, const char *p, size_t len)
{
	if (g->key.len + len >= KEY_MAX) {
		if (!g->too_long)
			gather_fault(g, GATHER_TOO_LONG, p, 0);
		g->too_long = true;
		return;
	}
	buf_add(&g->key, p, len);
}

/* A line and its LF. */
static inline void
key_add_line(struct gather *g, const char *p, size_t len)
{
	struct buf *b = &g->key;

	if (b->cap - b->len > len && b->len + len < KEY_MAX - 1) {
		memcpy(b->p + b->len, p, len); /* nearly always */
		b->len += len;
		b->p[b->len++] = '\n';
		return;
	}
	key_add(g, p, len);
	if (b->len < KEY_MAX)
		buf_addc(b, '\n');
}

/* Separates the stacks of a key; follows a waiting printf stack. */
#define SEP ", \n"
enum { SEP_LEN = sizeof SEP - 1 };

/* Streams of printf -------------------------------------------------------- */

/*
 * The waiting stack and the one after it: one sample if the second is of
 * userland and a number follows (`printf("%s%s1\n", kstack, ustack)`), else a
 * sample each.
 */
static void
text_flush(struct gather *g, bool number, uint64_t weight)
{
	const char *second = g->key.p + g->held;
	size_t len = g->key.len - g->held;

	if (g->held && len && number && line_ends_userland(second, len)) {
		gather_give(g, g->key.p, g->key.len, weight);
	} else {
		if (g->held)
			gather_give(
			    g, g->key.p, g->held - SEP_LEN, len ? 1 : weight);
		if (len)
			gather_give(g, second, len, weight);
	}
	gather_reset(g);
}

/*
 * A number that cannot be a weight ends the stack: below 0, or beyond 64 bits.
 */
static void
text_bad_weight(struct gather *g, const char *line, size_t len)
{
	const char *second = g->key.p + g->held;
	size_t n = g->key.len - g->held;

	if (g->held && n && !line_ends_userland(second, n))
		gather_give(g, g->key.p, g->held - SEP_LEN, 1);
	gather_fault(g, GATHER_BAD_VALUE, line, len);
	gather_reset(g);
}

static void
text_blank(struct gather *g)
{
	if (g->key.len == g->held) {
		g->after_blank = true;
		return;
	}
	if (!g->mode_seen) {
		text_flush(g, false, 1);
		return;
	}
	if (g->held) {
		size_t left = g->key.len - g->held;

		gather_give(g, g->key.p, g->held - SEP_LEN, 1);
		memmove(g->key.p, g->key.p + g->held, left);
		g->key.len = left;
	}
	buf_add(&g->key, SEP, SEP_LEN);
	g->held = g->key.len;
	g->mode_seen = false;
}

static void
text_frame(struct gather *g, const char *line, size_t len, bool mode)
{
	if (g->mode_seen)
		text_flush(g, false, 1);
	if (g->key.len == g->held)
		key_add(g, "\n", 1);
	key_add_line(g, line, len);
	g->mode_seen = mode;
}

static void map_line(struct gather *g, const char *line, size_t len);
static void text_line(struct gather *g, const char *line, size_t len);

/* `again`: the line before was a stack's number, too; `blank`: it was empty. */
static void
text_number(struct gather *g, uint64_t n, bool again, bool blank)
{
	g->after_number = true;
	if (g->key.len > 0) {
		text_flush(g, true, n);
	} else if (blank || (again && n == 1)) { /* a stack without frames */
		gather_give(g, "\n", 1, n);
	} else {
		g->after_number = false;
		g->n.others++;
	}
}

static void
take_json(struct gather *g, const char *line, size_t len)
{
	struct buf text = BUF_INIT;
	const char *p, *nl, *end;

	if (formats_json(g, line, len, &text)) {
		end = text.p + text.len;
		for (p = text.p; p < end; p = nl + 1) {
			nl = memchr(p, '\n', (size_t)(end - p));
			nl = nl ? nl : end;
			/* no document in a document */
			if (!json_is_line(p, (size_t)(nl - p)))
				text_line(g, p, (size_t)(nl - p));
		}
	}
	buf_done(&text);
}

static void
text_line(struct gather *g, const char *line, size_t len)
{
	bool after_number = g->after_number, after_blank = g->after_blank;
	const char *whole = line;
	size_t whole_len = len, names = g->names.len;
	uint64_t n;

	g->after_number = g->after_blank = false;
	len = line_trim(&line, len);
	if (names && memchr(line, '`', len) && line_is_frame(line, len, false))
		key_add(g, g->names.p, names); /* a frame of DTrace's */
	else if (names)
		g->n.others++;
	g->names.len = 0;
	if (len == 0) {
		text_blank(g);
	} else if (line[0] == '@') {
		text_flush(g, false, 1);
		map_line(g, line, len);
	} else if (line[0] == '{' && json_is_line(line, len)) {
		text_flush(g, false, 1);
		take_json(g, line, len);
	} else if (line[0] <= 'T' && formats_bcc_heading(g, line, len)) {
		text_flush(g, false, 1);
		g->n.messages++;
		g->state = GATHER_BCC;
	} else if (line[0] <= '9' && num_u64(line, len, &n) == 0) {
		text_number(g, n, after_number, after_blank);
	} else if (g->key.len && line_is_number(line, len)) {
		text_bad_weight(g, line, len);
	} else if (line_is_mode(line, len)) {
		text_frame(g, line, len, true);
	} else if (line_is_frame(line, len, g->key.len != g->held)) {
		text_frame(g, line, len, false);
	} else if (!gather_took_message(g, line, len) &&
		   !formats_dtrace(g, whole, whole_len)) {
		g->n.others++;
	}
}

/* Maps --------------------------------------------------------------------- */

/* The key is complete; `v` follows its `]:`. */
static void
key_end(
    struct gather *g, const struct line_value *v, const char *line, size_t len)
{
	uint64_t weight;

	if (v->kind == LINE_NONE) {
		g->state = GATHER_HIST;
		g->hist_sum = g->hist_rows = 0;
		return;
	}
	if (line_weight(v, g->value, &weight) != 0)
		gather_fault(g, GATHER_BAD_VALUE, line, len);
	else
		gather_give(g, g->key.p, g->key.len, weight);
	gather_reset(g);
}

/* An entry on one line can only be an empty stack. */
static void
map_one_line(struct gather *g, const char *key, size_t end, size_t len,
    const struct line_value *v)
{
	bool empty = end == 0 || bytes_starts(key, end, ", ") ||
		     bytes_ends(key, end, ", ");

	if (empty) {
		key_add(g, key, end);
		if (end == 0)
			key_add(g, "\n", 1);
		key_end(g, v, key, len);
	} else if (v->kind == LINE_NONE) {
		gather_reset(g);
		g->state = GATHER_HIST;
		g->n.histograms++;
	} else {
		gather_reset(g);
		g->n.entries++;
	}
}

static void
map_line(struct gather *g, const char *line, size_t len)
{
	size_t name = line_map_name(line, len), end;
	struct line_value v;

	if (name == 0) {
		g->n.others++;
		return;
	}
	if (line[name] == ':') { /* a map without a key */
		if (name + 1 == len) {
			g->state = GATHER_HIST;
			g->n.histograms++;
		} else {
			g->n.entries++;
		}
		return;
	}
	buf_add(&g->map, line, name);
	line += name + 1;
	len -= name + 1;
	if (line_key_end(line, len, &end, &v)) {
		map_one_line(g, line, end, len, &v);
		return;
	}
	g->state = GATHER_KEY;
	key_add_line(g, line, len);
}

static void
key_line(struct gather *g, const char *line, size_t len)
{
	struct line_value v;
	size_t end;

	g->indented |= len > 0 && (*line == ' ' || *line == '\t');
	while (len > 0 && (*line == ' ' || *line == '\t')) {
		line++;
		len--;
	}
	if (len > 0 && line[len - 1] == '\r')
		len--;
	if (len > 1 && line[0] == '@' && line_map_name(line, len)) {
		gather_fault(g, GATHER_NO_VALUE, line, 0);
		gather_reset(g);
		map_line(g, line, len);
	} else if (line_offset_at(line, len)) { /* nearly always */
		key_add_line(g, line, len);
	} else if (line_key_end(line, len, &end, &v)) {
		key_add(g, line, end);
		key_end(g, &v, line, len);
	} else if (!gather_took_message(g, line, len)) {
		key_add_line(g, line, len);
	}
}

static void
hist_line(struct gather *g, const char *line, size_t len)
{
	if (formats_hist(g, line, len))
		return;
	formats_hist_end(g);
	text_line(g, line, len);
}

void
gather_line(struct gather *g, const char *line, size_t len)
{
	if (g->state == GATHER_KEY)
		key_line(g, line, len);
	else if (g->state == GATHER_HIST)
		hist_line(g, line, len);
	else if (g->state == GATHER_BCC)
		formats_bcc(g, line, len);
	else
		text_line(g, line, len);
}

void
gather_end(struct gather *g)
{
	if (g->state == GATHER_HIST) {
		formats_hist_end(g);
	} else if (g->state == GATHER_KEY) {
		gather_fault(g, GATHER_NO_VALUE, NULL, 0);
		gather_reset(g);
	} else {
		text_flush(g, false, 1);
		g->after_number = false;
	}
	g->n.others += g->names.len > 0;
	g->names.len = 0;
}
