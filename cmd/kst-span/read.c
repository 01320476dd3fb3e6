/* SPDX-License-Identifier: ISC */
/*
 * Reads lines of event text. Most lines of a long trace can be predicted: the
 * digits of the time but the last eight, the name of an end (the innermost
 * span's), and mostly that of a begin (pair_guess). Such a line is not searched
 * for tabs and its end but compared with the prediction, eight bytes at a time.
 * All other lines go through event_parse(), with the same result.
 */
#include "pair.h"

#include <string.h>

#include "io/fault.h"
#include "io/in.h"
#include "set/intern.h"
#include "base/msg.h"
#include "text/events.h"
#include "trace/signs.h"

/*
 * Lines are predicted as long as this much of the buffer is left, so that loads
 * past their end are safe; longer names are not predicted.
 */
enum { ROOM = 1024, NAME_MAX_GUESS = 400 };

/* The digits of a time that are not predicted. */
enum { TAIL_DIGITS = 8, TAIL = 100000000 };

struct predictor {
	struct pair *p;
	struct name_key prefix; /* the time's digits before the last eight */
	uint64_t base;		/* and what they mean */
	struct fault bad;
};

static inline uint64_t
load(const char *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof w);
	return w;
}

/* Learns from a line that was not predicted. */
static void
learn(struct predictor *r, const struct event *e)
{
	char digits[20];

	if (e->time < TAIL)
		return;
	r->base = e->time - e->time % TAIL;
	key_set(&r->prefix, digits, event_u64(digits, r->base / TAIL));
}

/* Whether the key's text, of at most 16 bytes, is at p. */
static inline bool
is_key(const struct name_key *k, const char *p)
{
	return (load(p) & k->mask[0]) == k->w[0] &&
	       (load(p + 8) & k->mask[1]) == k->w[1];
}

/* Where the field ends, if the name is at p; else NULL. */
static inline const char *
after_name(const struct pair *pair, uint32_t name, const char *p)
{
	const struct name_key *k = &pair->names[name].key;

	if (!is_key(k, p) || k->len > NAME_MAX_GUESS ||
	    (p[k->len] != '\n' && p[k->len] != '\t'))
		return NULL;
	if (k->len > 16 &&
	    memcmp(p + 16, pair->names[name].p + 16, k->len - 16) != 0)
		return NULL;
	return p + k->len;
}

/* The track named at p up to a tab, which *end then points to; or NULL. */
static inline struct track *
find_track(struct pair *pair, const char *p, const char **end)
{
	const struct track *t = &pair->tracks[pair->cur];
	uint32_t id;

	*end = p + t->name_len;
	if (t->name_len > NAME_MAX_GUESS || **end != '\t' ||
	    memcmp(p, t->name, t->name_len) != 0) {
		*end = memchr(p, '\t', NAME_MAX_GUESS);
		if (*end == NULL)
			return NULL;
		id = intern_find(pair->track_ids, p, (size_t)(*end - p));
		if (id == UINT32_MAX)
			return NULL;
		pair->cur = id;
	}
	return &pair->tracks[pair->cur];
}

/*
 * The span that begins on t with the name at p, if that is known. Returns the
 * end of the field, or NULL.
 */
static inline const char *
find_span(
    struct pair *pair, struct track *t, const char *p, struct recent *span)
{
	const char *end, *tab;

	*span = *pair_guess(pair, t);
	end = span->child ? after_name(pair, span->name, p) : NULL;
	if (end || (end = memchr(p, '\n', NAME_MAX_GUESS)) == NULL)
		return end;
	tab = memchr(p, '\t', (size_t)(end - p));
	end = tab ? tab : end;
	span->name = intern_find(pair->name_ids, p, (size_t)(end - p));
	if (span->name == UINT32_MAX)
		return NULL;
	span->child = pair_node(pair, t, span->name);
	*pair_guess(pair, t) = *span;
	return end;
}

/* Takes the line at p; returns its end, NULL if it is of another kind. */
static inline const char *
one_line(struct predictor *r, const char *p, const char *stop)
{
	struct pair *pair = r->p;
	struct event e = {.args = NULL};
	struct recent span;
	struct track *t;
	uint64_t now;

	if (!is_key(&r->prefix, p))
		return NULL;
	p += r->prefix.len;
	if (!event_eight_digits(p, &now) || p[TAIL_DIGITS] != '\t')
		return NULL;
	now += r->base;
	t = find_track(pair, p + TAIL_DIGITS + 1, &p);
	if (t == NULL || now < t->last || t->too_deep || p[2] != '\t')
		return NULL;
	e.kind = (enum event_kind)p[1];
	if (e.kind == EVENT_END && t->depth)
		p = after_name(pair, t->frames[t->depth - 1].name, p + 3);
	else if (e.kind == EVENT_BEGIN && t->depth < t->cap)
		p = find_span(pair, t, p + 3, &span);
	else
		return NULL;
	if (p == NULL)
		return NULL;
	if (*p == '\t') {
		e.args = p + 1;
		p = memchr(p, '\n', (size_t)(stop - p));
		if (p == NULL)
			return NULL;
		e.args_len = (size_t)(p - e.args);
	}
	if (p[-1] == '\r')
		return NULL;
	if (e.kind == EVENT_BEGIN)
		pair_open(pair, t, span, &e, now);
	else
		pair_close(pair, t, &e, now);
	t->last = now;
	return p + 1;
}

/* Takes lines up to the first that is not as predicted. */
static void __attribute__((noinline))
take_lines(struct predictor *r, struct in *in)
{
	const char *p = in->p, *next, *stop = in->end - ROOM;
	uint64_t lines = 0;

	if (r->prefix.len == 0 || in->end - in->p < ROOM)
		return;
	while (p <= stop && (next = one_line(r, p, in->end))) {
		p = next;
		lines++;
	}
	in->p = p;
	in->line += lines;
}

/* The events of one file: a signs_reader. */
static const char *
read_file(void *predictor, struct in *in)
{
	struct predictor *r = predictor;
	bool each = r->p->want || r->p->charts; /* they look at each event */
	unsigned file_no = in->file_no;
	bool any = false;
	struct event e;
	const char *line;
	size_t len;

	while (in_more(in, file_no)) {
		const char *at = in->p;
		enum event_line kind;

		if (!each)
			take_lines(r, in);
		any |= in->p != at;
		if (!in_more(in, file_no) || !in_next(in, &line, &len))
			break;
		kind = event_parse(line, len, &e);
		if (kind == EVENT_OK) {
			any = true;
			if (pair_event(r->p, &e))
				learn(r, &e);
		} else if (kind == EVENT_BAD) {
			fault_say(&r->bad, in, "not an event: '%s'",
			    msg_text(line, len));
		}
	}
	return any ? NULL : "no event in it";
}

uint64_t
pair_read(struct in *in, struct pair *p)
{
	struct predictor r = {.p = p, .bad.what = "line that is not an event"};
	uint64_t none = signs_files(in, read_file, &r);

	pair_end(p);
	return fault_sum(&r.bad, 1) + none;
}
