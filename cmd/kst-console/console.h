/* SPDX-License-Identifier: ISC */
/* Private to kst-console: reads a log by rule files. */
#ifndef CONSOLE_H
#define CONSOLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "io/fault.h"
#include "trace/trace.h"

enum {
	KEY_MAX = 63,
	STREAMS_MAX = 64,     /* threads and CPUs whose lines may interleave */
	STACK_TEXT = 1 << 20, /* bytes */
	ITEMS_TEXT = 1 << 10, /* told of a stack or frame; then no more */
	LINE_TEXT = 1 << 14,  /* longer lines are not looked at */
	HEAD_LINES = 60, /* others in a row, before a stack's first frame */
	GAP_LINES = 3	 /* and after it */
};

/* A rule file, whose rules turn lines into `[kst-frame name="f"]` and others.
 */
struct format {
	char *name;
	struct rules *rules;
	uint64_t stacks;
};

/* Lines of one thread or CPU, as prefixes tell, and their open stack. */
struct stream {
	char key[KEY_MAX + 1]; /* `[kst-line cpu=1 tid=2` */
	uint64_t used;
	struct format *format; /* NULL: no stack is open, or there are tries */
	bool begun, ignored;
	bool ended;   /* frames belong to none until a line of another kind */
	unsigned gap; /* lines since the last one of the stack */
	struct buf about; /* what tells of it, the time first */
	struct buf frame; /* its last frame, or empty */
	struct buf text;  /* those before, as trace text */
	size_t n;	  /* in text */
	char leaf[24];	  /* the address of its [kst-leaf], if that is first */
	/*
	 * While no format is: stacks without a frame so far, of the formats
	 * whose first lines came.
	 */
	struct stream *tries;
	size_t n_tries, cap_tries;
};

enum { MANY_RULES, TOO_MUCH, TOO_LONG, FAULTS };

struct console {
	struct rules *prefix;
	struct format *formats;
	size_t n, cap;
	bool named;  /* the only format was asked for */
	bool unsure; /* keep such frames */
	bool wrong;  /* a rule file */
	struct in in;
	struct trace_reader reader;
	struct stream streams[STREAMS_MAX], *last;
	struct buf time;       /* of the last line that tells it */
	struct buf line, text; /* without its prefix; what rules make of it */
	struct buf head;       /* scratch */
	uint64_t lines, stacks, empty, unsure_frames, between;
	struct fault faults[FAULTS];
};

/* In log.c: a signs_reader. */
const char *log_read(void *console, struct in *in);

/*
 * In tries.c. Stacks of several formats may begin with the same line. Then the
 * first frame decides: the stack belongs to the format whose rules know that
 * frame. No format costs another one its stacks.
 */

/*
 * Gives the line to each try. Returns whether it belongs to one of them;
 * s->format is set as soon as the format is known.
 */
bool tries_take(struct console *c, struct stream *s);

/* Begins tries for the formats whose stacks may begin with this line. */
bool tries_add(struct console *c, struct stream *s);

/* Ends what is open in the stream. */
void tries_end(struct console *c, struct stream *s);

/*
 * In stack.c: applies the rules to the line; the result is in c->text. False if
 * it says nothing.
 */
bool line_apply(struct console *c, struct rules *rules);

/* Takes the line. False if the open format does not know it. */
bool line_take(struct console *c, struct stream *s);

/*
 * Counts a line that the open format does not know. True if there were too
 * many, which ends the stack.
 */
bool line_gap(const struct console *c, struct stream *s);

/* Takes the result of the rules, in c->text. */
void stack_take(struct console *c, struct stream *s, struct format *f);

/* Ends the stack that is open, if any, and writes it. */
void stack_end(struct console *c, struct stream *s);

#endif
