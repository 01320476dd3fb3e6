/* SPDX-License-Identifier: ISC */
/* The words that gdb puts around its frames. */
#include "text/trace.h"

#include <string.h>

#include "base/bytes.h"
#include "base/num.h"
#include "base/out.h"

/* A longer line that a pager prompt has cut is not put together again. */
enum { CUT_MAX = 1 << 16 };

/* The byte after the terminal control sequence that begins at p (ESC). */
static const char *
escape_end(const char *p, const char *end)
{
	p++;
	if (p == end)
		return p;
	if (*p == '[') { /* CSI: parameters, then one byte @ to ~ */
		for (p++; p < end; p++)
			if (*p >= '@' && *p <= '~')
				return p + 1;
		return end;
	}
	if (*p == ']') { /* OSC: up to BEL or ESC \ */
		for (p++; p < end; p++) {
			if (*p == '\a')
				return p + 1;
			if (*p == '\033')
				return p + 1 < end ? p + 2 : end;
		}
		return end;
	}
	if (strchr("()*+#", *p)) /* a character set: one byte more */
		return p + 1 < end ? p + 2 : end;
	return p + 1;
}

static void
strip_controls(const char *line, size_t len, struct buf *b)
{
	const char *p = line, *end = line + len;

	while (p < end) {
		const char *from = p;

		while (p < end && *p != '\033' && *p != '\r')
			p++;
		buf_add(b, from, (size_t)(p - from));
		if (p < end)
			p = *p == '\r' ? p + 1 : escape_end(p, end);
	}
}

void
trace_reader_done(struct trace_reader *r)
{
	buf_done(&r->clean);
	buf_done(&r->cut);
}

static void
skip_gdb_prompts(const char **p, size_t *len)
{
	while (bytes_starts(*p, *len, "(gdb) ")) {
		*p += 6;
		*len -= 6;
	}
}

/* gdb's pager prompt in a line: where it begins, and the byte after it. */
static const char *
find_pager(const char *p, size_t len, const char **behind)
{
	static const char *const prompts[] = {
	    "--Type <RET> for more, q to quit, c to continue without paging--",
	    "---Type <return> to continue, or q <return> to quit---"};

	if (len == 0) /* p may be NULL */
		return NULL;
	for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++) {
		const char *at = memmem(p, len, prompts[i], strlen(prompts[i]));

		if (at) {
			*behind = at + strlen(prompts[i]);
			return at;
		}
	}
	return NULL;
}

/* What a line is once the pager's prompts are out of it. */
enum joined {
	LINE_WHOLE,
	LINE_CUT, /* it goes on in the next line; what there is, is kept */
	LINE_QUIT /* the user has quit at the prompt */
};

/*
 * Takes pager prompts out of the line in r->clean. What the user typed may
 * follow one, and one may have cut the line in two.
 */
static enum joined
join_at_pager(struct trace_reader *r, size_t *len)
{
	char *p = r->clean.p;
	const char *behind, *at;

	while ((at = find_pager(p, *len, &behind))) {
		size_t before = (size_t)(at - p);
		size_t rest = *len - (size_t)(behind - p);

		if (rest == 4 && memcmp(behind, "Quit", 4) == 0)
			return LINE_QUIT;
		if (rest == 0 || (rest == 1 && *behind >= 'a')) {
			*len = 0;
			if (before < CUT_MAX)
				buf_add(&r->cut, p, before);
			return LINE_CUT;
		}
		memmove(p + before, behind, rest);
		*len = before + rest;
	}
	return LINE_WHOLE;
}

/* `Thread 1.2 (...):`, but not `Thread 3 "t" received signal ...`. */
static bool
is_thread(const char *p, size_t len)
{
	size_t i = 7;

	if (!bytes_starts(p, len, "Thread ") || !bytes_ends(p, len, "):"))
		return false;
	while (i < len && ((p[i] >= '0' && p[i] <= '9') || p[i] == '.'))
		i++;
	return i > 7 && len - i > 4 && p[i] == ' ' && p[i + 1] == '(';
}

static enum trace_kind
judge_other(const char *p, size_t len)
{
	if (is_thread(p, len))
		return TRACE_THREAD;
	if (bytes_starts(p, len, "[kst-") && p[len - 1] == ']')
		return bytes_starts(p, len, "[kst-capture ") ||
			       (len == 13 &&
				   bytes_starts(p, len, "[kst-capture]"))
			   ? TRACE_CAPTURE
			   : TRACE_META;
	if (bytes_starts(p, len, "Backtrace stopped: ") ||
	    bytes_starts(p, len, "(More stack frames follow...") ||
	    (len == 4 && bytes_starts(p, len, "Quit")))
		return TRACE_STOPPED;
	if (len < 200 && memchr(p, '!', len) && /* rare, and cheaper to find */
	    memmem(p, len, "-<!OSDK_PROF_BT_ROUND!>-", 24))
		return TRACE_ROUND;
	return TRACE_OTHER;
}

/*
 * Copies the line to r->clean, after what a pager prompt has cut off, and
 * takes the noise off. When it is cut itself, nothing is left for now.
 */
static void
take_noise_off(struct trace_reader *r, const char **line, size_t *len)
{
	static const char quit[] = "Quit";
	size_t before = r->cut.len;

	r->clean.len = 0;
	buf_add(&r->clean, r->cut.p, r->cut.len);
	r->cut.len = 0;
	strip_controls(*line, *len, &r->clean);
	*line = r->clean.p;
	*len = r->clean.len;
	if ((before > 0 && *len == before + 4 &&
		bytes_ends(r->clean.p, *len, quit)) ||
	    join_at_pager(r, len) == LINE_QUIT) {
		*line = quit;
		*len = sizeof quit - 1;
	}
}

void
trace_judge(
    struct trace_reader *r, const char *line, size_t len, struct trace_line *t)
{
	while (len > 0 && line[len - 1] == '\r') /* CRLF: nothing to copy */
		len--;
	if (r->cut.len || trace_has_noise(line, len))
		take_noise_off(r, &line, &len);
	skip_gdb_prompts(&line, &len);
	while (len > 0 && (line[len - 1] == ' ' || line[len - 1] == '\t'))
		len--;
	if (trace_is_plain_frame(line, len, t))
		return;
	t->text = line;
	t->len = len;
	t->kind = len ? judge_other(line, len) : TRACE_OTHER;
}

size_t
trace_number(uint64_t n, char text[TRACE_NUMBER])
{
	size_t len = 3;

	memcpy(text, "#   ", 4);
	if (n < 10) {
		text[1] = (char)('0' + n);
		return 4;
	}
	for (uint64_t m = n; m >= 100; m /= 10)
		len++;
	text[len] = ' ';
	for (size_t i = len; i > 1; n /= 10)
		text[--i] = (char)('0' + n % 10);
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

/* `[running]` or `[halted ]` at the end of p[0..*len): taken off. */
static enum trace_state
cut_state(const char *p, size_t *len)
{
	const char *b = NULL;
	enum trace_state state;

	if (*len < 3 || p[*len - 1] != ']')
		return STATE_UNKNOWN;
	b = memrchr(p, '[', *len);
	if (b == NULL)
		return STATE_UNKNOWN;
	if (bytes_starts(b, (size_t)(p + *len - b), "[running"))
		state = STATE_RUNNING;
	else if (bytes_starts(b, (size_t)(p + *len - b), "[halted"))
		state = STATE_HALTED;
	else
		return STATE_UNKNOWN;
	*len = (size_t)(b - p);
	while (*len > 0 && p[*len - 1] == ' ')
		--*len;
	return state;
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
trace_meta_get(const char *text, size_t len, const char *key,
    const char **value, size_t *value_len)
{
	const char *p = text, *end = text + len;
	size_t key_len = strlen(key);

	while (p < end && *p != ' ')
		p++;
	while (p < end) {
		const char *word, *eq, *stop;
		bool quoted;

		while (p < end && *p == ' ')
			p++;
		word = p;
		while (p < end && *p != '=' && *p != ' ')
			p++;
		if (p == end || *p == ' ')
			continue;
		eq = p++;
		stop = value_end(p, end, &quoted);
		if ((size_t)(eq - word) == key_len &&
		    memcmp(word, key, key_len) == 0) {
			*value = p + quoted;
			*value_len = (size_t)(stop - *value);
			return true;
		}
		p = stop + (quoted && stop < end);
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
