/* SPDX-License-Identifier: ISC */
/*
 * Event text, kst-events(5): `TIME TRACK KIND NAME [ARGS]`, fields between
 * tabs, one event a line. This module splits and writes lines. Which begin
 * belongs to an end, the reader finds out.
 *
 * TRACK, NAME and ARGS are escaped in the text: they have no control byte, and
 * a backslash only as part of an escape. They are passed here as they are in
 * the text, so equal fields are equal bytes: a filter may compare, count and
 * pass them on without decoding them.
 */
#ifndef KST_EVENTS_H
#define KST_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

enum event_kind {
	EVENT_BEGIN = 'B',
	EVENT_END = 'E',
	EVENT_INSTANT = 'I',
	EVENT_LOST = 'L'
};

struct event {
	uint64_t time; /* nanoseconds; which clock is the source's matter */
	enum event_kind kind;
	const char *track, *name, *args; /* escaped; args NULL if none */
	size_t track_len, name_len, args_len;
};

enum event_line {
	EVENT_OK,
	EVENT_BLANK, /* an empty line or a `#` comment */
	EVENT_BAD
};

/*
 * Splits a line given without LF (CRs at the end are tolerated); the fields
 * point into it. Fills *e only for EVENT_OK.
 */
enum event_line event_parse(const char *line, size_t len, struct event *e);

/* Writes the event as a line to the output (out.h). */
void event_put(const struct event *e);

/* Appends text as a field holds it; empty text becomes `??`. */
void event_escape(struct buf *b, const char *text, size_t len);

/* Appends the text that a field holds; a wrong escape is kept as it is. */
void event_unescape(struct buf *b, const char *field, size_t len);

/* What ARGS says: `[~ ]TEXT`, `[~ ]= VALUE` or `[~ ]! ERROR`. */
enum event_mark {
	EVENT_TEXT = 0,	   /* arguments, or nothing */
	EVENT_VALUE = '=', /* the call returned VALUE */
	EVENT_ERROR = '!'  /* the call failed with ERROR, such as ENOENT */
};

struct event_args {
	bool repaired; /* `~`: nobody recorded this event, the reader made it */
	enum event_mark mark;
	const char *text; /* escaped */
	size_t len;
};

/* Splits e's ARGS; without ARGS it is EVENT_TEXT of length 0. */
void event_split_args(const struct event *e, struct event_args *a);

/* Of EVENT_LOST: how many records, as in `= 17`; without a number, 1. */
uint64_t event_lost(const struct event_args *a);

/* Appends the ARGS field for a, of which `text` is here plain text. */
void event_add_args(struct buf *b, const struct event_args *a);

/* Decimal digits of v to p, at most 20; returns how many. */
size_t event_u64(char *p, uint64_t v);

#endif
