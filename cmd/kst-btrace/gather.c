/* SPDX-License-Identifier: ISC */
/* Finds where each printed stack begins and ends. */
#include "gather.h"

#include <string.h>

#include "give.h"
#include "json.h"
#include "bcc.h"
#include "base/bytes.h"
#include "base/num.h"

/* Separates the stacks of a key. */
#define SEP ", \n"
enum { SEP_LEN = sizeof SEP - 1 };

/* Streams of printf -------------------------------------------------------- */

/*
 * Whether two stacks that wait are one sample: btrace says `userland`. Those of
 * bpftrace and DTrace, which are indented, are if a number follows, or if
 * samples end in two empty lines.
 */
static bool
is_pair(const struct gather *g, bool number)
{
	if (g->indented)
		return number || g->ends_twice;
	return number && g->second && g->mode_seen == 'u';
}

/* Gives the first of two stacks that wait. */
static void
give_first(struct gather *g)
{
	if (g->second == 0)
		return;
	gather_give(g, g->second - SEP_LEN, 1);
	g->key.len -= g->second;
	memmove(g->key.p, g->key.p + g->second, g->key.len);
	g->second = 0;
}

/* Gives the stacks that wait: as one sample, or the last with the weight. */
static void
text_flush(struct gather *g, bool pair, uint64_t weight)
{
	g->gap.single = !(pair && g->second);
	g->gap.pairs |= pair && g->second;
	if (!pair)
		give_first(g);
	if (g->key.len)
		gather_give(g, g->key.len, weight);
	gather_reset(g);
}

static void
text_end(struct gather *g)
{
	if (g->weighed) { /* it was the weight, and no key */
		g->key.len = g->weighed;
		text_flush(g, true, g->weight);
	} else {
		text_flush(g, is_pair(g, false), 1);
	}
}

/*
 * A number that cannot be a weight ends the stack: below 0, or beyond 64 bits.
 */
static void
text_bad_weight(struct gather *g, const char *line, size_t len)
{
	if (!is_pair(g, true))
		give_first(g);
	gather_fault(g, GATHER_BAD_VALUE, line, len);
	gather_reset(g);
}

static void
text_blank(struct gather *g)
{
	g->gap.lines++;
	if (g->key.len > 0 && !g->closed) {
		g->closed = g->mode_seen || g->indented;
		if (!g->closed)
			text_end(g);
		return;
	}
	if (g->key.len > 0 && g->indented) {
		g->ends_twice = true;
		text_end(g);
	}
	g->after = 'b';
}

static void
text_frame(struct gather *g, const char *line, size_t len, char mode)
{
	if (g->closed) {
		give_first(g);
		buf_add(&g->key, SEP "\n", SEP_LEN + 1);
		g->second = g->key.len - 1;
		g->closed = false;
	} else if (g->mode_seen) {
		text_end(g);
	} else if (g->keys) {
		gather_key(g, SEP, SEP_LEN);
	}
	g->keys = false;
	g->weighed = 0;
	if (g->key.len == 0) {
		if (g->indented)
			formats_gap(g);
		gather_key(g, "\n", 1);
	}
	g->gap.lines = 0;
	gather_key_line(g, line, len);
	g->mode_seen = mode;
}

static void map_line(struct gather *g, const char *line, size_t len);

/* `after`: the line before, as in struct gather. */
static void
text_number(struct gather *g, uint64_t n, char after)
{
	g->after = 'n';
	formats_gap_break(g);
	if (g->key.len > 0) {
		text_flush(g, is_pair(g, true), n);
	} else if (after == 'b' || (after == 'n' && n == 1)) {
		gather_key(g, "\n", 1); /* a stack without frames */
		text_flush(g, false, n);
	} else {
		g->after = 0;
		g->n.others++;
	}
}

static void
take_json(struct gather *g, const char *line, size_t len)
{
	struct buf text = BUF_INIT;
	const char *p, *nl, *end;

	formats_json(g, line, len, &text);
	end = text.p + text.len;
	for (p = text.p; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		nl = nl ? nl : end;
		/* no document in a document */
		if (!json_is_line(p, (size_t)(nl - p)))
			gather_line(g, p, (size_t)(nl - p));
	}
	buf_done(&text);
}

/* Whether a line goes on with a stack of btrace's, as nearly all do. */
static inline bool
goes_on(const struct gather *g, const char *line, size_t len)
{
	size_t offset;

	if (g->key.len == 0 || g->closed || g->mode_seen || len == 0 ||
	    line[0] < 'A' || line[0] == '[' || line[0] == '{')
		return false;
	offset = line_offset_at(line, len);
	return offset && line[offset - 1] != ' ';
}

/* Beside DTrace's stacks: true if the line has keys after the stack. */
static bool
dtrace_line(struct gather *g, const char *line, size_t len, bool indented)
{
	bool dtrace = false;
	bool frame = len > 0 && line_is_frame(line, len, false, &dtrace);

	if (g->names.len && dtrace)
		gather_key(g, g->names.p, g->names.len);
	else if (g->names.len)
		g->n.others++;
	g->names.len = 0;
	if (g->weighed && !frame)
		text_end(g);
	return g->dtrace && indented && len > 0 && !frame &&
	       formats_dtrace_keys(g, line, len);
}

static void
text_line(struct gather *g, const char *line, size_t len)
{
	char after = g->after;
	const char *whole = line;
	size_t whole_len = len;
	uint64_t n;
	bool inside;

	if (goes_on(g, line, len)) {
		gather_key_line(g, line, len);
		return;
	}
	g->after = 0;
	len = bytes_trim(&line, len);
	if ((g->names.len || g->dtrace) &&
	    dtrace_line(g, line, len, line != whole)) {
		g->after = g->weighed ? 'n' : 0;
		return;
	}
	/* a line at the margin is not a frame of an indented stack */
	inside = g->key.len > 0 && !(g->indented && line == whole);
	if (len == 0) {
		text_blank(g);
	} else if (line[0] == '@') {
		text_end(g);
		formats_gap_break(g);
		map_line(g, line, (size_t)(whole + whole_len - line));
	} else if (line[0] == '{' && json_is_line(line, len)) {
		if (!bytes_starts(line, len, "{\"type\": \"printf\""))
			text_end(g);
		take_json(g, line, len);
	} else if ((line[0] <= 'T' || line[0] == '[') &&
		   formats_bcc_heading(g, line, len)) {
		text_end(g);
		g->n.messages++;
		g->state = GATHER_BCC;
	} else if (line[0] <= '9' && num_u64(line, len, &n) == 0) {
		text_number(g, n, after);
	} else if (g->key.len && line_is_number(line, len)) {
		text_bad_weight(g, line, len);
	} else if (line_is_mode(line, len)) {
		text_frame(g, line, len, line[0]);
	} else if (line_is_frame(line, len, inside && !g->closed, &g->dtrace)) {
		g->indented |= line != whole;
		text_frame(g, line, len, 0);
	} else if (!gather_took_message(g, line, len)) {
		text_flush(g, g->indented, 1); /* a heading */
		formats_gap_break(g);
		g->n.others += !formats_dtrace(g, whole, whole_len, after);
	}
}

/* Maps --------------------------------------------------------------------- */

/* The key is complete; `v` follows its `]:`. */
static void
key_end(
    struct gather *g, const struct line_value *v, const char *line, size_t len)
{
	if (v->kind == LINE_NONE) {
		g->state = GATHER_HIST;
		g->hist_sum = g->hist_rows = 0;
		return;
	}
	if (v->kind == LINE_BAD)
		gather_fault(g, GATHER_BAD_VALUE, line, len);
	else
		gather_give(g, g->key.len, v->weight);
	gather_reset(g);
}

/* An entry without a stack: a value, or a histogram that follows. */
static void
no_stack(struct gather *g, bool hist)
{
	gather_reset(g);
	g->state = hist ? GATHER_HIST : GATHER_TEXT;
	g->n.histograms += hist;
	g->n.entries += !hist;
}

/* An entry on one line can only be an empty stack. */
static void
map_one_line(struct gather *g, const char *key, size_t end, size_t len,
    const struct line_value *v)
{
	bool empty = end == 0 || bytes_starts(key, end, ", ") ||
		     bytes_ends(key, end, ", ");

	if (empty) {
		gather_key(g, key, end);
		if (end == 0)
			gather_key(g, "\n", 1);
		key_end(g, v, key, len);
	} else {
		no_stack(g, v->kind == LINE_NONE);
	}
}

static void
map_line(struct gather *g, const char *line, size_t len)
{
	const char *whole_end = line + len;
	size_t name, end;
	struct line_value v;

	len = bytes_trim(&line, len);
	name = line_map_name(line, len);
	if (name == 0) {
		g->n.others++;
		return;
	}
	if (line[name] == ':') { /* a map without a key */
		no_stack(g, name + 1 == len);
		return;
	}
	g->map_len = name + 1;
	buf_add(&g->key, line, g->map_len);
	line += name + 1;
	len -= name + 1;
	if (line_key_end(line, len, g->o->value, &end, &v)) {
		map_one_line(g, line, end, len, &v);
		return;
	}
	g->state = GATHER_KEY;
	gather_key_line(g, line, (size_t)(whole_end - line));
}

static void
key_line(struct gather *g, const char *line, size_t len)
{
	struct line_value v;
	size_t end;

	for (; len > 0 && (*line == ' ' || *line == '\t'); len--) {
		g->indented = true;
		line++;
	}
	if (len > 1 && line[0] == '@' && line_map_name(line, len)) {
		gather_fault(g, GATHER_NO_VALUE, line, 0);
		gather_reset(g);
		map_line(g, line, len);
	} else if (line_offset_at(line, len)) { /* nearly always */
		gather_key_line(g, line, len);
	} else if (line_key_end(line, len, g->o->value, &end, &v)) {
		gather_key(g, line, end);
		key_end(g, &v, line, len);
	} else if (!gather_took_message(g, line, len)) {
		gather_key_line(g, line, len);
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
	len -= len > 0 && line[len - 1] == '\r';
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
	} else if (g->state == GATHER_BCC) {
		formats_bcc_end(g);
		g->state = GATHER_TEXT;
	} else {
		text_end(g);
		g->after = 0;
	}
	formats_gap_end(g);
	g->n.others += g->names.len > 0;
	g->names.len = 0;
	g->ends_twice = g->keys_last = false;
}
