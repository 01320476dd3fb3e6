/* SPDX-License-Identifier: ISC */
/*
 * Trace text, kst-trace(5): stacks in gdb's own words. This module says of what
 * kind a line is; trace/stacks.h says what lines mean together. Colours,
 * carriage returns, prompts and pager lines are removed first.
 */
#ifndef KST_TRACE_H
#define KST_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "opt/opt.h"

enum trace_kind {
	TRACE_OTHER,   /* what gdb, its target or a shell says otherwise */
	TRACE_FRAME,   /* `#N  TEXT` */
	TRACE_THREAD,  /* `Thread N (PTID (EXTRA)):` */
	TRACE_META,    /* `[kst-NAME key=value ...]`, but not kst-capture */
	TRACE_CAPTURE, /* `[kst-capture ...]`: a capture begins */
	TRACE_ROUND,   /* OSDK's mark between two captures */
	TRACE_STOPPED  /* the stack before it was not unwound to its end */
};

/* Points into the line, or into `clean` when noise was taken off. */
struct trace_line {
	enum trace_kind kind;
	const char *text; /* the whole line, without noise and CR */
	size_t len;
	uint32_t number;   /* of a frame: N, 0 is the leaf */
	const char *frame; /* of a frame: the text after `#N` and blanks */
	size_t frame_len;  /* > 0 */
	bool raw;	   /* of a frame: noise has not been looked for */
};

/*
 * State of reading: the line without noise, and the beginning of a line that a
 * pager's prompt has cut in two. Ready when zeroed.
 */
struct trace_reader {
	struct buf clean, cut;
};

void trace_reader_done(struct trace_reader *r);

/* Slow part of trace_read(); not for callers. */
void trace_judge(
    struct trace_reader *r, const char *line, size_t len, struct trace_line *t);

/*
 * Whether a terminal or gdb's pager may have added to the line. If this is
 * wrong, trace_judge() finds nothing.
 */
static inline bool
trace_has_noise(const char *line, size_t len)
{
	const char *p = line, *end = line + len;

	if (len == 0) /* line may be NULL */
		return false;
	if (memchr(line, '\033', len) || memchr(line, '\r', len))
		return true;
	while ((p = memchr(p, '-', (size_t)(end - p))))
		if (end - ++p >= 7 && memcmp(p, "-Type <", 7) == 0)
			return true;
	return false;
}

/* Whether a line without noise is a frame; if so fills all of *t but raw. */
static inline bool
trace_is_plain_frame(const char *line, size_t len, struct trace_line *t)
{
	const char *p, *end;
	uint32_t n = 0;

	if (len < 4 || line[0] != '#') /* of no bytes line may be NULL */
		return false;
	p = line + 1;
	end = line + len;
	if (end[-1] == '\r' || end[-1] == ' ')
		return false;
	while (p < end && (unsigned char)(*p - '0') <= 9 && p < line + 10)
		n = n * 10 + (uint32_t)(*p++ - '0');
	if (p == line + 1 || p == end || *p != ' ')
		return false;
	while (*p == ' ') /* the last byte is not a blank */
		p++;
	t->kind = TRACE_FRAME;
	t->text = line;
	t->len = len;
	t->number = n;
	t->frame = p;
	t->frame_len = (size_t)(end - p);
	return true;
}

/* Says what a line is, given without LF. Texts live until the next call. */
static inline void
trace_read(
    struct trace_reader *r, const char *line, size_t len, struct trace_line *t)
{
	t->raw = false;
	if (r->cut.len || trace_has_noise(line, len) ||
	    !trace_is_plain_frame(line, len, t))
		trace_judge(r, line, len, t);
}

/*
 * trace_read() in two steps, for callers that know most frames.
 * trace_read_raw() gives a frame as it is in the line. If its text is unknown,
 * call trace_is_other() to ask whether noise made the line look like a frame;
 * if true, *t is what the line really is.
 */
static inline void
trace_read_raw(
    struct trace_reader *r, const char *line, size_t len, struct trace_line *t)
{
	t->raw = r->cut.len == 0 && trace_is_plain_frame(line, len, t);
	if (!t->raw)
		trace_judge(r, line, len, t);
}

static inline bool
trace_is_other(struct trace_reader *r, struct trace_line *t)
{
	if (!t->raw || !trace_has_noise(t->text, t->len))
		return false;
	t->raw = false;
	trace_judge(r, t->text, t->len, t);
	return true;
}

/*
 * The beginning of a frame's line, `#3  `, at least 4 bytes. Returns the
 * length.
 */
enum { TRACE_NUMBER = 24 };
size_t trace_number(uint64_t n, char text[TRACE_NUMBER]);

/* Writes it to the output (io/out.h). */
void trace_put_number(uint64_t n);

/* With the words that ask for such threads, or for all. */
#define TRACE_STATES(X)             \
	X(STATE_UNKNOWN, "all")     \
	X(STATE_RUNNING, "running") \
	X(STATE_HALTED, "halted")   \
	X(STATE_WAITING, "waiting") \
	X(STATE_DISK, "disk")       \
	X(STATE_STOPPED, "stopped") \
	X(STATE_READY, "ready")
enum trace_state { TRACE_STATES(OPT_ID) };

/* What a thread header says; texts point into the header. */
struct trace_thread {
	bool has_cpu;
	uint32_t cpu; /* of `CPU#N` */
	enum trace_state state;
	const char *label; /* a name for the track: `CPU#1`, the thread's name,
			      its LWP or whatever identifies it; never empty */
	size_t label_len;
};

/* text: a line of kind TRACE_THREAD. */
void trace_thread_parse(
    const char *text, size_t len, struct trace_thread *thread);

/*
 * The value of `key=` in a `[kst-...]` line: a word, or the text between double
 * quotes, where a backslash stands before a quote or backslash and stays.
 * Returns false if the key is missing.
 */
bool trace_meta_get(const char *text, size_t len, const char *key,
    const char **value, size_t *value_len);

/*
 * Takes the next `key=value` of such a line off the text, which begins after
 * the line's first word. False: there is none.
 */
bool trace_meta_next(
    struct piece *text, struct piece *key, struct piece *value);

/* Appends a value of trace_meta_get() with its backslashes resolved. */
void trace_meta_text(struct buf *b, const char *value, size_t len);

/* Appends a value in double quotes for trace_meta_get(). */
void trace_meta_add(struct buf *b, const char *value, size_t len);

#endif
