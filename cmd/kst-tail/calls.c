/* SPDX-License-Identifier: ISC */
#include "calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "set/bound.h"

/* Pieces of all calls that are kept: some 128 MB. */
enum { PIECES_MAX = PORT_LIMIT(8 << 20, 1 << 12) };

/* Of the call that is open on a track. */
struct within {
	struct piece *v;
	size_t n, cap, merged; /* as many were left when they were merged */
	uint64_t away;	       /* ns of the call that do not count */
};

int
slow_option(void *slow, const char *arg, struct buf *err)
{
	struct slow *s = slow;
	size_t len = strlen(arg);
	uint64_t frac;

	if (strcmp(arg, "worst") == 0) {
		*s = (struct slow){SLOW_NEAR, 10000};
		return 0;
	}
	if (len > 1 && arg[len - 1] == '%' &&
	    num_decimal(arg, len - 1, &s->n, &frac) == 0 && s->n < 50) {
		s->kind = SLOW_SHARE;
		s->n = s->n * 10000 + frac / (NUM_FRAC_ONE / 10000);
		if (s->n)
			return 0;
	}
	if (strncmp(arg, "worst:", 6) == 0 &&
	    num_u64(arg + 6, len - 6, &s->n) == 0 && s->n &&
	    s->n <= CALLS_SLOW) {
		s->kind = SLOW_WORST;
		return 0;
	}
	if (arg[0] == '>' && num_duration(arg + 1, len - 1, 1, &s->n) == 0) {
		s->kind = SLOW_ABOVE;
		return 0;
	}
	buf_printf(err,
	    "is not worst, a share below 50%%, worst:N with N up to %d, or '>TIME'",
	    CALLS_SLOW);
	return -1;
}

void
calls_init(struct calls *c, struct pair *p, const struct slow *slow)
{
	memset(c, 0, sizeof *c);
	c->p = p;
	c->room_slow = slow->kind == SLOW_WORST ? slow->n : CALLS_SLOW;
	c->room_some = CALLS_SOME;
}

static void
free_calls(struct call *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(v[i].pieces);
	free(v);
}

void
calls_done(struct calls *c)
{
	hist_done(&c->durations);
	free_calls(c->slow, c->n_slow);
	free_calls(c->some, c->n_some);
	for (size_t i = 0; i < c->n_within; i++)
		free(c->within[i].v);
	free(c->within);
}

/* splitmix64: the same numbers each time. */
static uint64_t
next_random(struct calls *c)
{
	uint64_t z = c->random += 0x9e3779b97f4a7c15;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static int
by_node(const void *pa, const void *pb)
{
	const struct piece *a = pa, *b = pb;

	return a->node < b->node ? -1 : a->node > b->node;
}

/* Sorts the pieces, and adds up those of one node. */
static void
merge(struct within *w)
{
	size_t n = 0;

	if (w->n > 1)
		qsort(w->v, w->n, sizeof *w->v, by_node);
	for (size_t i = 0; i < w->n; i++) {
		if (n && w->v[n - 1].node == w->v[i].node)
			w->v[n - 1].ns += w->v[i].ns;
		else
			w->v[n++] = w->v[i];
	}
	w->n = w->merged = n;
}

/* Whether a is slower; of equal ones the first is. */
static bool
slower(const struct call *a, const struct call *b)
{
	return a->ns != b->ns ? a->ns > b->ns : a->order < b->order;
}

static void
swap(struct call *a, struct call *b)
{
	struct call t = *a;

	*a = *b;
	*b = t;
}

/* `slow` is a heap while calls come, the fastest at [0]. */
static void
sift_down(struct calls *c)
{
	struct call *v = c->slow;

	for (size_t i = 0, k; (k = 2 * i + 1) < c->n_slow; i = k) {
		if (k + 1 < c->n_slow && slower(&v[k], &v[k + 1]))
			k++;
		if (!slower(&v[i], &v[k]))
			break;
		swap(&v[i], &v[k]);
	}
}

static void
drop(struct calls *c, struct call *call)
{
	c->pieces -= call->n;
	free(call->pieces);
	call->pieces = NULL;
}

static void
drop_fastest(struct calls *c)
{
	drop(c, &c->slow[0]);
	c->slow[0] = c->slow[--c->n_slow];
	sift_down(c);
}

/* A copy of what is kept. */
static struct call
keep(struct calls *c, const struct call *call)
{
	struct call k = *call;

	k.pieces = xreallocn(NULL, k.n + 1, sizeof *k.pieces);
	memcpy(k.pieces, call->pieces, k.n * sizeof *k.pieces);
	c->pieces += k.n;
	return k;
}

static void
keep_slow(struct calls *c, const struct call *call)
{
	size_t i;

	if (c->n_slow == c->room_slow)
		drop_fastest(c);
	i = c->n_slow;
	*xpush(c->slow, c->n_slow, c->cap_slow) = keep(c, call);
	for (; i && slower(&c->slow[(i - 1) / 2], &c->slow[i]); i = (i - 1) / 2)
		swap(&c->slow[i], &c->slow[(i - 1) / 2]);
}

/* At a place of the choice, or as a new one. */
static void
keep_some(struct calls *c, const struct call *call, size_t at)
{
	if (at < c->n_some) {
		drop(c, &c->some[at]);
		c->some[at] = keep(c, call);
	} else {
		*xpush(c->some, c->n_some, c->cap_some) = keep(c, call);
	}
}

/* Halves what is kept, if that is too much. */
static void
bound(struct calls *c)
{
	while (c->pieces > PIECES_MAX && c->n_slow + c->n_some > 2) {
		c->large = true;
		c->room_slow = c->n_slow / 2 + 1;
		c->room_some = c->n_some / 2 + 1;
		while (c->n_slow > c->room_slow)
			drop_fastest(c);
		while (c->n_some > c->room_some)
			drop(c, &c->some[--c->n_some]);
	}
}

/* A call has ended whose pieces are in *w. */
static void
take(struct calls *c, const struct span *s, struct within *w)
{
	struct call call = {.start = s->start,
	    .ns = s->dur - (w->away < s->dur ? w->away : s->dur),
	    .order = c->n++,
	    .track = (uint32_t)(s->track - c->p->tracks),
	    .name = s->name};
	bool slow = c->n_slow < c->room_slow || slower(&call, &c->slow[0]);
	/* each call of n has the same chance to be in the choice */
	uint64_t at =
	    c->n_some < c->room_some ? c->n_some : next_random(c) % c->n;

	hist_add(&c->durations, call.ns);
	if (!slow && at >= c->room_some)
		return;
	merge(w);
	call.pieces = w->v;
	call.n = w->n;
	if (slow)
		keep_slow(c, &call);
	if (at < c->room_some)
		keep_some(c, &call, at);
	bound(c);
}

/* Whether another thread ran in the span's own time. */
static bool
is_away(const struct calls *c, const struct span *s)
{
	static const char away[] = "[away]";
	const struct name *n = &c->p->names[s->name];

	return n->len == strlen(away) && memcmp(n->p, away, n->len) == 0;
}

void
calls_span(void *calls, const struct span *s)
{
	struct calls *c = calls;
	size_t track = (size_t)(s->track - c->p->tracks);
	struct within *w;

	if (s->kind != EVENT_END || s->no_begin)
		return;
	w = xitem_zeroed(c->within, track, c->n_within);
	if (s->self && c->running && is_away(c, s)) {
		w->away += s->self;
	} else if (s->self) {
		*xpush(w->v, w->n, w->cap) = (struct piece){s->node, s->self};
		if (w->n > 2 * w->merged + 1024)
			merge(w);
	}
	if (s->depth)
		return;
	if (s->no_end)
		c->cut++;
	else
		take(c, s, w);
	w->n = w->merged = w->away = 0;
}

static int
by_slowness(const void *a, const void *b)
{
	return slower(a, b) ? -1 : 1;
}

static int
by_order(const void *pa, const void *pb)
{
	const struct call *a = pa, *b = pb;

	return a->order < b->order ? -1 : a->order > b->order;
}

static size_t
count_slow(struct calls *c, const struct slow *slow)
{
	uint64_t want = slow->n, above = 0;
	size_t n = 0;

	if (slow->kind == SLOW_ABOVE) {
		above = slow->n;
		want = c->n_slow;
	} else if (slow->kind == SLOW_NEAR) {
		above = hist_at(&c->durations, 50);
		above += (c->durations.max - above) / 2;
	}
	if (slow->kind == SLOW_SHARE ||
	    slow->kind == SLOW_NEAR) /* rounded up */
		want = c->n / 1000000 * slow->n +
		       (c->n % 1000000 * slow->n + 999999) / 1000000;
	while (n < want && n < c->n_slow && c->slow[n].ns > above)
		n++;
	return n;
}

/*
 * The quartiles of the calls chosen at random, exactly: those of counts would
 * lie beside calls that all take equally long.
 */
static void
set_quartiles(const struct calls *c, uint64_t *low, uint64_t *high)
{
	uint64_t *v = xreallocn(NULL, c->n_some + 1, sizeof *v);

	for (size_t i = 0; i < c->n_some; i++)
		v[i] = c->some[i].ns;
	qsort(v, c->n_some, sizeof *v, bound_compare);
	*low = c->n_some ? v[(c->n_some + 3) / 4 - 1] : 0;
	*high = c->n_some ? v[(3 * c->n_some + 3) / 4 - 1] : 0;
	free(v);
}

void
calls_end(struct calls *c, const struct slow *slow)
{
	uint64_t low, high;
	size_t n = 0;

	set_quartiles(c, &low, &high);

	if (c->n_slow)
		qsort(c->slow, c->n_slow, sizeof *c->slow, by_slowness);
	for (n = count_slow(c, slow); c->n_slow > n;)
		drop(c, &c->slow[--c->n_slow]);
	if (c->n_some)
		qsort(c->some, c->n_some, sizeof *c->some, by_order);
	c->growth = growth_judge(c->some, c->n_some, c->n);
	n = 0;
	for (size_t i = 0; i < c->n_some; i++) {
		struct call *a = &c->some[i];

		if (a->ns < low || a->ns > high ||
		    (c->n_slow && !slower(&c->slow[c->n_slow - 1], a)))
			drop(c, a);
		else
			swap(a, &c->some[n++]);
	}
	c->n_some = n;
}
