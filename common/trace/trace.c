/* SPDX-License-Identifier: ISC */
/* Takes colours, prompts and pager lines off a line, and tells its kind. */
#include "trace/trace.h"

#include <string.h>

#include "base/bytes.h"

/* A longer line is not joined after a pager's prompt. */
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

/* `> ` or `> > ` before a line that a mail quotes */
static void
skip_quotation(const char **p, size_t *len)
{
	while (*len > 1 && (*p)[0] == '>' && (*p)[1] == ' ') {
		*p += 2;
		*len -= 2;
	}
	if (*len == 1 && **p == '>')
		*len = 0;
}

/* gdb's pager prompt in a line: where it begins, and the byte after it. */
static const char *
find_pager(const char *p, size_t len, const char **after)
{
	static const char *const prompts[] = {
	    "--Type <RET> for more, q to quit, c to continue without paging--",
	    "---Type <return> to continue, or q <return> to quit---"};

	if (len == 0) /* p may be NULL */
		return NULL;
	for (size_t i = 0; i < sizeof prompts / sizeof *prompts; i++) {
		const char *at = memmem(p, len, prompts[i], strlen(prompts[i]));

		if (at) {
			*after = at + strlen(prompts[i]);
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
 * Takes pager prompts out of the line in r->clean. The user's key may follow
 * one, and one may have cut the line in two.
 */
static enum joined
join_at_pager(struct trace_reader *r, size_t *len)
{
	char *p = r->clean.p;
	const char *after, *at;

	while ((at = find_pager(p, *len, &after))) {
		size_t before = (size_t)(at - p);
		size_t rest = *len - (size_t)(after - p);

		if (rest == 4 && memcmp(after, "Quit", 4) == 0)
			return LINE_QUIT;
		if (rest == 0 || (rest == 1 && *after >= 'a')) {
			*len = 0;
			if (before < CUT_MAX)
				buf_add(&r->cut, p, before);
			return LINE_CUT;
		}
		memmove(p + before, after, rest);
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
 * Copies the line to r->clean, after the part before a pager's prompt, and
 * takes the noise off. If it is cut itself, nothing is left for now.
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
	skip_quotation(&line, &len);
	skip_gdb_prompts(&line, &len);
	while (len > 0 && (line[len - 1] == ' ' || line[len - 1] == '\t'))
		len--;
	if (trace_is_plain_frame(line, len, t))
		return;
	t->text = line;
	t->len = len;
	t->kind = len ? judge_other(line, len) : TRACE_OTHER;
}
