/* SPDX-License-Identifier: ISC */
/*
 * Reads trace text as stacks: each call says what comes next. A file is
 *
 *	(CAPTURE | THREAD | PROCESS | META | STOPPED | OTHER |
 *	 BEGIN (FRAME | OTHER)+ END)*
 *
 * A stack ends before a frame whose number is not above the last one, before
 * any line of the first row but OTHER, and with the file.
 *
 * The same frame comes millions of times: what a consumer has found out about
 * a frame's text is kept with it (trace/memo.h).
 */
#ifndef KST_STACKS_H
#define KST_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "io/fault.h"
#include "io/in.h"
#include "set/slots.h"
#include "trace/memo.h"
#include "trace/trace.h"

/*
 * Tracks of one capture that are told apart, in 32 MiB; with more, all are
 * forgotten.
 */
enum { TRACKS_MAX = 1 << 20 };

enum stacks_event {
	STACKS_EOF,   /* the file has ended */
	STACKS_BEGIN, /* the next event is the first frame of a stack */
	STACKS_FRAME,
	STACKS_END,	/* of the stack */
	STACKS_CAPTURE, /* a capture begins: at a line, or at a frame (t.kind)
			   when the stack's track shows again */
	STACKS_THREAD,	/* all further are lines of that kind */
	STACKS_PROCESS, /* `[kst-process ...]` */
	STACKS_META,	/* another line of kst */
	STACKS_STOPPED,
	STACKS_OTHER,
	STACKS_RUN /* frames after the first, see stacks_keep_runs() */
};

/* Open: the hot path reads the fields. Texts live until the next event. */
struct stacks {
	/*
	 * Of a line, but not of BEGIN and END: the line as it came, or without
	 * noise if a pager's prompt had cut it; and what it is.
	 */
	const char *line;
	size_t line_len;
	struct trace_line t;

	/* Of a FRAME: */
	struct memo_entry *entry;   /* what is known of its text, or NULL */
	const char *head;	    /* `#N  `, without noise */
	size_t head_len, frame_len; /* the frame follows its head */
	uint32_t number;
	const char *text; /* without an entry: the text after the address */
	size_t text_len;

	/* The next stack's, if tracks were asked for. */
	bool has_thread;
	struct trace_thread thread;
	struct buf header, process; /* its lines; empty: none */
	bool tracks_full;	    /* a capture may have ended unseen */

	const struct memo_entry *run; /* of a RUN; value: the last number */

	bool truncated; /* at END: the stack was not unwound to its root */

	/*
	 * Captures of kst-capture that lack their last line. Such a file was
	 * cut, and its last stack with it.
	 */
	struct fault cut;
	/*
	 * The input is a part, which may end anywhere. Whether the first mark
	 * in it begins or ends a capture; where the one begins that is open at
	 * its end, or 0.
	 */
	bool is_part, begins, ends;
	uint64_t open;

	/* private */
	const char *file_name;
	uint64_t begun; /* line of a capture's first line, until its last */
	struct in *in;
	unsigned file;
	bool pending; /* the line in t has not been given yet */
	bool marked;  /* the track of the stack that begins */
	enum {
		STACKS_OUTSIDE,
		STACKS_BEGUN,
		STACKS_AT_RUN, /* `run` is the next event */
		STACKS_INSIDE
	} place;
	uint64_t hash, capture;
	struct memo *memo, *runs;
	struct trace_reader reader;
	struct slots
	    tracks; /* tracks with frames, by the hash of their names */
	struct track_mark {
		uint64_t hash, capture; /* the last one that had the track */
	} * track;
	size_t tracks_cap;
	uint32_t leaf_bits;
	unsigned run_credit, run_refused, run_lines;
	uint64_t run_hash;
	const char *run_text; /* frames that may be kept, or NULL */
	size_t run_len;	      /* 0: more may come */
	uint64_t run_bytes;   /* in->bytes then: the text has not moved */
};

/* With tracks, threads are told apart, and captures that no line begins. */
void stacks_init(struct stacks *s, bool tracks);
void stacks_done(struct stacks *s);

/* For a part: counts `begins`, `ends` and `open` for --summary-fd. */
void stacks_summary(const struct stacks *s);

/* Begins to read what is left of the current file. */
void stacks_open(struct stacks *s, struct in *in);

enum stacks_event stacks_next(struct stacks *s);

/*
 * Keeps what the consumer has found out about the text of a FRAME that has no
 * entry; see memo_add(). Entries of before may be gone then.
 */
struct memo_entry *stacks_learn(
    struct stacks *s, const char *result, size_t len, uint32_t value);

#endif
