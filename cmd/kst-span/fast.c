/* SPDX-License-Identifier: ISC */
/*
 * A short cut for most lines of a long trace: begins and ends with known names
 * and tracks, and times like the one before. It gives what event_parse() and
 * pair_event(), which take all others, would.
 *
 * Nearly all of such a line can be predicted: the digits of the time but the
 * last eight, the name of an end (the innermost span's), and mostly that of a
 * begin (the call that followed here when the caller last ran). So a line is
 * not searched for tabs and its end, but compared with the prediction, eight
 * bytes at a time.
 */
#include "pair.h"

#include <stdlib.h>
#include <string.h>

#include "base/fault.h"
#include "base/intern.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "text/events.h"
#include "text/signs.h"

/*
 * A line is taken only with this much of the buffer left, so that loads past
 * its end are safe; longer names go the long way.
 */
enum { ROOM = 512, NAME_MAX_FAST = 400, TAIL_DIGITS = 8 };
enum { TAIL = 100000000, TRACK_SLOTS = 256 };

static const uint64_t ONES = 0x0101010101010101;

struct slot {
	struct key name; /* of a track, up to 15 bytes */
	uint32_t track1; /* its number + 1; 0 = free */
};

struct fast {
	struct pair *p;
	bool to_sink;	   /* not into the tree's sums */
	struct key prefix; /* the time's digits before the last eight */
	uint64_t base;	   /* and what they mean */
	struct slot *last; /* of the last line's track */
	struct slot tracks[TRACK_SLOTS];
};

static inline uint64_t
load(const char *p)
{
	uint64_t w;

	memcpy(&w, p, sizeof w);
	return w;
}

static struct slot *
slot_of(struct fast *f, uint64_t w0, uint64_t w1)
{
	uint64_t h = (w0 ^ w1 * 31) * 0x9e3779b97f4a7c15u;

	return &f->tracks[h >> 56];
}

/* Learns from a line that went the long way; needed before take_lines(). */
static void
learn(struct fast *f, const struct event *e)
{
	char digits[20];
	struct key k;
	struct slot *s;
	size_t n;

	if (e->time < TAIL || e->track_len > 15)
		return;
	f->base = e->time - e->time % TAIL;
	n = event_u64(digits, f->base / TAIL);
	key_set(&f->prefix, digits, n);
	key_set(&k, e->track, e->track_len);
	s = slot_of(f, k.w[0], k.w[1]);
	s->name = k;
	s->track1 = f->p->cur + 1;
	f->last = s;
}

/* Whether the key's text, of at most 16 bytes, is at p. */
static inline bool
is_key(const struct key *k, const char *p)
{
	return (load(p) & k->mask[0]) == k->w[0] &&
	       (load(p + 8) & k->mask[1]) == k->w[1];
}

/* Whether the name, and after it the end of the field, is at p. */
static inline bool
is_name(const struct pair *pair, uint32_t name, const char *p)
{
	const struct key *k = &pair->keys[name];

	if (!is_key(k, p) || k->len > NAME_MAX_FAST ||
	    (p[k->len] != '\n' && p[k->len] != '\t'))
		return false;
	return k->len <= 16 ||
	       memcmp(p + 16, pair->names[name].p + 16, k->len - 16) == 0;
}

/*
 * Takes what follows a name, up to the line's end: returns what is after that,
 * NULL if the line is of another kind. Sets e's args.
 */
static inline const char *
read_args(const char *p, const char *stop, struct event *e)
{
	const char *nl = p;

	e->args = NULL;
	e->args_len = 0;
	if (*p == '\t') {
		nl = memchr(p, '\n', (size_t)(stop - p));
		if (nl == NULL)
			return NULL;
		e->args = p + 1;
		e->args_len = (size_t)(nl - e->args);
	}
	return nl[-1] == '\r' ? NULL : nl + 1;
}

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
enum { FAST_WORKS = 1 };
#else
enum { FAST_WORKS = 0 };
#endif

/* Eight decimal digits; the first is in the lowest byte. */
static inline bool
eight_digits(uint64_t w, uint64_t *val)
{
	const uint64_t high = ONES * 0xf0, pairs = 0x000000ff000000ff;

	if (((w & high) | ((w + ONES * 6) & high) >> 4) != ONES * 0x33)
		return false;
	w -= ONES * '0';
	w = w * 10 + (w >> 8); /* in every other byte: two digits */
	*val = ((w & pairs) * (100 + ((uint64_t)1000000 << 32)) +
		   (w >> 16 & pairs) * (1 + ((uint64_t)10000 << 32))) >>
	       32;
	return true;
}

/* The track named at p up to a tab, which *end then points to; or NULL. */
static inline struct track *
find_track(struct fast *f, const char *p, const char **end)
{
	uint64_t w0, w1 = 0, x, tabs;
	struct slot *s = f->last;
	unsigned n;

	if (is_key(&s->name, p) && p[s->name.len] == '\t') {
		*end = p + s->name.len;
		return &f->p->tracks[s->track1 - 1];
	}
	w0 = load(p);
	x = w0 ^ ONES * '\t';
	tabs = (x - ONES) & ~x & ONES << 7;
	if (tabs) {
		n = (unsigned)__builtin_ctzll(tabs) >> 3;
		w0 &= ((uint64_t)1 << 8 * n) - 1;
		*end = p + n;
	} else {
		w1 = load(p + 8);
		x = w1 ^ ONES * '\t';
		tabs = (x - ONES) & ~x & ONES << 7;
		if (tabs == 0)
			return NULL;
		n = (unsigned)__builtin_ctzll(tabs) >> 3;
		w1 &= ((uint64_t)1 << 8 * n) - 1;
		*end = p + 8 + n;
	}
	s = slot_of(f, w0, w1);
	if (s->name.w[0] != w0 || s->name.w[1] != w1 ||
	    s->name.len != (size_t)(*end - p) || s->track1 == 0)
		return NULL;
	f->last = s;
	return &f->p->tracks[s->track1 - 1];
}

/* The child of t's stack that is named at p, if it is a known name. */
static bool
find_child(struct pair *pair, const struct track *t, const char *p,
    struct recent *child)
{
	const char *nl = memchr(p, '\n', NAME_MAX_FAST), *tab;

	if (nl == NULL)
		return false;
	tab = memchr(p, '\t', (size_t)(nl - p));
	child->name =
	    intern_find(pair->name_ids, p, (size_t)((tab ? tab : nl) - p));
	if (child->name == UINT32_MAX)
		return false;
	child->child = pair_node(pair, t, child->name);
	return true;
}

/* Both return the end of the line, or NULL with nothing done. */
static inline const char *
begin(struct pair *pair, struct track *t, const char *p, const char *stop,
    uint64_t now)
{
	uint32_t *last, up;
	struct recent *guess, child;
	struct event e;

	if (t->depth == t->cap)
		return NULL;
	up = t->depth ? t->frames[t->depth - 1].node : t->root;
	last = t->depth ? &t->frames[t->depth - 1].last_child : &t->last_child;
	guess = *last ? &pair->tree.follow[*last] : &pair->tree.recent[up];
	child = *guess;
	if (!child.child || !is_name(pair, child.name, p)) {
		if (!find_child(pair, t, p, &child))
			return NULL;
		/* The tree may have grown. */
		guess =
		    *last ? &pair->tree.follow[*last] : &pair->tree.recent[up];
		*guess = child;
	}
	p = read_args(p + pair->keys[child.name].len, stop, &e);
	if (p == NULL)
		return NULL;
	*last = child.child;
	pair_push(pair, t, child.name, child.child, &e, now);
	return p;
}

static inline const char *
end(const struct fast *fast, struct track *t, const char *p, const char *stop,
    uint64_t now, bool *overflow)
{
	struct pair *pair = fast->p;
	const struct frame *f;
	struct event e;
	uint64_t dur;

	if (t->depth == 0 || t->too_deep)
		return NULL;
	f = &t->frames[t->depth - 1];
	if (!is_name(pair, f->name, p))
		return NULL;
	p = read_args(p + pair->keys[f->name].len, stop, &e);
	if (p == NULL)
		return NULL;
	if (fast->to_sink) {
		pair_pop(pair, t, &e, now);
		return p;
	}
	t->depth--;
	dur = now - f->start;
	if (sum_add(&pair->tree.sums[f->node], 1, dur - f->child) != 0)
		*overflow = true;
	pair->open[f->name]--;
	if (t->depth)
		t->frames[t->depth - 1].child += dur;
	return p;
}

/* Takes the line at p; returns its end, NULL if it is of another kind. */
static inline const char *
one_line(struct fast *f, const char *p, const char *stop, bool *overflow)
{
	struct track *t;
	uint64_t now;

	if (!is_key(&f->prefix, p))
		return NULL;
	p += f->prefix.len;
	if (!eight_digits(load(p), &now) || p[TAIL_DIGITS] != '\t')
		return NULL;
	now += f->base;
	t = find_track(f, p + TAIL_DIGITS + 1, &p);
	if (t == NULL || now < t->last || p[2] != '\t')
		return NULL;
	if (p[1] == 'B')
		p = begin(f->p, t, p + 3, stop, now);
	else if (p[1] == 'E')
		p = end(f, t, p + 3, stop, now, overflow);
	else
		return NULL;
	if (p)
		t->last = now;
	return p;
}

/*
 * Takes lines up to the first that it cannot. Returns whether one of the tree's
 * sums overflowed.
 */
static bool __attribute__((noinline)) take_lines(struct fast *f, struct in *in)
{
	const char *p, *next, *stop;
	bool overflow = false;
	uint64_t lines = 0;

	if (!FAST_WORKS || f->prefix.len == 0)
		return false;
	if (in->end - in->p < ROOM)
		return false;
	p = in->p;
	stop = in->end - ROOM;
	while (p <= stop && (next = one_line(f, p, in->end, &overflow))) {
		p = next;
		lines++;
	}
	in->p = p;
	in->line += lines;
	return overflow;
}

/* The events of one file; returns whether it has any. */
static bool
read_file(struct in *in, struct pair *p, struct fast *fast, bool *overflow,
    struct fault *bad)
{
	unsigned file_no = in->file_no;
	bool any = false;
	struct event e;
	const char *line;
	size_t len;

	while (in_more(in, file_no)) {
		const char *at = in->p;
		enum event_line kind;

		if (fast)
			*overflow |= take_lines(fast, in);
		any |= in->p != at;
		if (!in_more(in, file_no) || !in_next(in, &line, &len))
			break;
		kind = event_parse(line, len, &e);
		if (kind == EVENT_OK) {
			any = true;
			if (pair_event(p, &e) && fast)
				learn(fast, &e);
		} else if (kind == EVENT_BAD) {
			fault_say(
			    bad, in, "not an event: '%s'", msg_text(line, len));
		}
	}
	return any;
}

uint64_t
fast_read(struct in *in, struct pair *p, bool to_sink, bool *overflow)
{
	bool every = p->want || p->chart; /* they look at each event */
	struct fast fast = {.p = p, .to_sink = to_sink};
	struct fault bad = {"line that is not an event", 0};
	struct signs begin;
	uint64_t none = 0;

	while (in_fill(in, 1) > 0) {
		signs_look(&begin, in);
		if (!read_file(in, p, every ? NULL : &fast, overflow, &bad)) {
			signs_say_none(&begin, "event");
			none++;
		}
	}
	pair_end(p);
	return fault_sum(&bad, 1) + none;
}
