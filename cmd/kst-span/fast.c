/* SPDX-License-Identifier: ISC */
/*
 * Nearly all of such a line can be predicted: the digits of the time but the
 * last eight, the name of an end (the innermost span's), and mostly that of a
 * begin (the call that followed here when the caller last ran). So a line is
 * not searched for tabs and its end, but compared with the prediction, eight
 * bytes at a time.
 */
#include "fast.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/*
 * A line is taken only with this much of the buffer left, so that loads past
 * its end are safe; longer names go the long way.
 */
enum { ROOM = 512, NAME_MAX_FAST = 400, TAIL_DIGITS = 8, SIBLINGS_MAX = 8 };
enum { TAIL = 100000000, TRACK_SLOTS = 256 };

static const uint64_t ONES = 0x0101010101010101;

struct slot {
	struct key name; /* of a track, up to 15 bytes */
	uint32_t track1; /* its number + 1; 0 = free */
};

struct fast {
	struct pair *p;
	bool to_sink;	   /* else into the tree's sums */
	struct key prefix; /* the time's digits before the last eight */
	uint64_t base;	   /* and what they mean */
	struct slot *last; /* of the last line's track */
	struct slot tracks[TRACK_SLOTS];
};

struct fast *
fast_new(struct pair *p, bool to_sink)
{
	struct fast *f = xcalloc(1, sizeof *f);

	f->p = p;
	f->to_sink = to_sink;
	return f;
}

void
fast_free(struct fast *f)
{
	free(f);
}

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

void
fast_learn(struct fast *f, const struct event *e)
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

/* Whether the name, and after it the end of the line, is at p. */
static inline bool
is_name(const struct pair *pair, uint32_t name, const char *p)
{
	const struct key *k = &pair->keys[name];

	if (!is_key(k, p) || k->len > NAME_MAX_FAST || p[k->len] != '\n')
		return false;
	return k->len <= 16 ||
	       memcmp(p + 16, pair->names[name].p + 16, k->len - 16) == 0;
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

/*
 * Whether the child named at p is *guess, or one of the youngest, which *guess
 * then becomes.
 */
static inline bool
find_child(
    const struct pair *pair, uint32_t up, struct recent *guess, const char *p)
{
	const struct node *nodes = pair->tree.nodes;
	uint32_t child;

	if (guess->child && is_name(pair, guess->name, p))
		return true;
	child = nodes[up].first_child;
	for (int i = 0; child && i < SIBLINGS_MAX; i++) {
		if (is_name(pair, nodes[child].name, p)) {
			*guess = (struct recent){nodes[child].name, child};
			return true;
		}
		child = nodes[child].sibling;
	}
	return false;
}

/* Both return the name's key, or NULL with nothing done. */
static inline const struct key *
begin(struct pair *pair, struct track *t, const char *p, uint64_t now)
{
	struct recent *guess;
	uint32_t *last, up;
	struct frame *f;

	if (t->depth == t->cap)
		return NULL;
	f = &t->frames[t->depth];
	up = t->depth ? f[-1].node : t->root;
	last = t->depth ? &f[-1].last_child : &t->last_child;
	guess = *last ? &pair->tree.follow[*last] : &pair->tree.recent[up];
	if (!find_child(pair, up, guess, p))
		return NULL;
	t->depth++;
	f->name = guess->name;
	f->node = *last = guess->child;
	f->last_child = 0;
	f->start = now;
	f->child = 0;
	f->args_at = 0;
	pair->open[f->name]++;
	return &pair->keys[f->name];
}

/* Gives the span of the frame, which was t's innermost, to the sink. */
static void
give(struct pair *pair, const struct track *t, const struct frame *f,
    uint64_t dur)
{
	struct span s = {.kind = EVENT_END,
	    .track = t,
	    .depth = t->depth,
	    .name = f->name,
	    .node = f->node,
	    .start = f->start,
	    .dur = dur,
	    .self = dur - f->child};

	pair->sink(pair->ctx, &s);
}

static inline const struct key *
end(const struct fast *fast, struct track *t, const char *p, uint64_t now,
    bool *overflow)
{
	struct pair *pair = fast->p;
	struct frame *f;
	struct sum *n;
	uint64_t dur;

	if (t->depth == 0 || t->too_deep)
		return NULL;
	f = &t->frames[t->depth - 1];
	if (!is_name(pair, f->name, p))
		return NULL;
	t->depth--;
	dur = now - f->start;
	if (fast->to_sink) {
		give(pair, t, f, dur);
	} else {
		n = &pair->tree.sums[f->node];
		n->calls++;
		if (__builtin_add_overflow(n->self, dur - f->child, &n->self)) {
			n->self = UINT64_MAX;
			*overflow = true;
		}
	}
	pair->open[f->name]--;
	if (t->depth)
		f[-1].child += dur;
	return &pair->keys[f->name];
}

/* Takes the line at p; returns its length, 0 if it is of another kind. */
static inline size_t
one_line(struct fast *f, const char *line, bool *overflow)
{
	const char *p = line;
	struct track *t;
	uint64_t now;
	const struct key *name = NULL;

	if (!is_key(&f->prefix, p))
		return 0;
	p += f->prefix.len;
	if (!eight_digits(load(p), &now) || p[TAIL_DIGITS] != '\t')
		return 0;
	now += f->base;
	t = find_track(f, p + TAIL_DIGITS + 1, &p);
	if (t == NULL || now < t->last || p[2] != '\t')
		return 0;
	if (p[1] == 'B')
		name = begin(f->p, t, p + 3, now);
	else if (p[1] == 'E')
		name = end(f, t, p + 3, now, overflow);
	if (name == NULL)
		return 0;
	t->last = now;
	return (size_t)(p + 3 - line) + name->len + 1;
}

bool
fast_lines(struct fast *f, struct in *in)
{
	const char *p, *stop;
	bool overflow = false;
	uint64_t lines = 0;
	size_t n;

	if (!FAST_WORKS || f->prefix.len == 0)
		return false;
	if (in->end - in->p < ROOM)
		return false;
	p = in->p;
	stop = in->end - ROOM;
	while (p <= stop && (n = one_line(f, p, &overflow)) != 0) {
		p += n;
		lines++;
	}
	in->p = p;
	in->line += lines;
	return overflow;
}
