/* SPDX-License-Identifier: ISC */
#include "calls/calls.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "diff.h"
#include "profile/table.h"
#include "sides/profile.h"

/* Lines about what functions call, and the rows that are looked at for one. */
enum { CALLS_PUT = 3, CALLS_LOOKED = 16 };
enum { NAMED = 3 }; /* of those that cost more */
/* The functions and the calls from which the runs' ways can be told. */
enum { FAR_ROWS = 5, FAR_CALLS = 100 };
/* How many times as often, and how much more often, a call is worth a line. */
static const double OFTENER = 1.5, MORE_CALLS = 100;
static const double SMALL = 0.005, FEWER = 0.98, EQUAL = 0.001, SHOWN = 0.01;

/* A called function: its calls by the other, and its weight below it. */
struct callee {
	double calls[2], self[2];
	double with; /* what the other has of it in its cost after */
};

/* Whether `a` says more than `b`. */
static bool
says_more(const struct called *a, const struct called *b)
{
	const bool x = a->rate[0] <= 0 || a->rate[1] <= 0,
		   y = b->rate[0] <= 0 || b->rate[1] <= 0;

	if (x != y)
		return x;
	if (x && (a->with > 0 || b->with > 0))
		return a->with > b->with;
	return fabs(a->rate[1] - a->rate[0]) > fabs(b->rate[1] - b->rate[0]);
}

/* Adds up what a row's functions call; by name. */
static struct callee *
gather(const struct profile *p, const uint32_t key[2])
{
	const uint32_t n_stacks = table_stacks(p->table);
	struct callee *v = xcalloc(table_names(p->table) + 1, sizeof *v);

	for (uint32_t i = 0; i < n_stacks && i < p->stacks_cap; i++) {
		size_t n;
		const uint32_t *frame = table_stack(p->table, i, &n);
		const struct profile_stack *s = &p->stacks[i];
		struct callee *c = n > 1 ? &v[frame[n - 1]] : NULL;

		for (int k = 0; k < 2 && n > 1; k++)
			if (p->first + frame[n - 2] == key[k]) {
				c->calls[k] += s->calls[k];
				c->self[k] += s->self[k];
			}
		if (s->of > 0 && s->of < n &&
		    p->first + frame[s->of - 1] == key[1])
			v[frame[s->of]].with += s->self[1];
	}
	return v;
}

/* Finds the one that says most; whether there is one. */
static bool
find(const struct profile *p, const uint32_t key[2], const double own[2],
    struct called *found)
{
	const uint32_t n_names = table_names(p->table);
	struct callee *v = gather(p, key);
	bool any = false;

	for (uint32_t i = 0; i < n_names; i++) {
		const struct called c = {p->first + i,
		    {v[i].calls[0] / own[0], v[i].calls[1] / own[1]},
		    v[i].with / own[1]};
		const double more = fabs(c.rate[1] - c.rate[0]);
		bool inlined = false;

		for (int k = 0; k < 2; k++)
			inlined |= v[i].calls[k] <= 0 && v[i].self[k] > 0;
		if (inlined || more <= 0.01 ||
		    more <= 0.25 * fmax(c.rate[0], c.rate[1]))
			continue;
		if (!any || says_more(&c, found))
			*found = c;
		any = true;
	}
	free(v);
	return any;
}

static double
calls_of(const struct measure *m, const struct row *r, int side)
{
	return count_real(&profile_call(m->p, r->key[side])->calls[side]);
}

/* What is called once may be a loop that never ends: 2 calls for equal code. */
bool
calls_changed(const struct show *s, const struct row *r, struct called *c)
{
	const double own[2] = {calls_of(s->m, r, 0), calls_of(s->m, r, 1)};
	const bool first =
	    r->code ? r < s->rows + CALLS_LOOKED
		    : (r == s->rows || r[-1].code) &&
			  fabs(measure_growth(s->m, &r->change)) > 0.5;

	return first && fmin(own[0], own[1]) >= (r->code ? 1 : 2) &&
	       find(s->m->p, r->key, own, c);
}

/* `a call of bread calls virtio_disk_rw 1.00 times, 0.16 before` */
static void
put_called(const struct show *s, const struct row *r, const struct called *c,
    struct buf *b)
{
	const struct profile *p = s->m->p;
	const char *unit = s->side[0].unit;
	const bool gone = c->rate[1] <= 0;

	buf_adds(b, gone ? "" : "a call of ");
	profile_name(p, r->key[1], b);
	buf_adds(b, gone ? " no longer calls " : " calls ");
	profile_name(p, c->key, b);
	if (gone)
		buf_printf(b, " (%.2f times a call before)\n", c->rate[0]);
	else if (c->rate[0] <= 0) {
		buf_printf(b, " %.2f times, never before", c->rate[1]);
		if (c->with > SHOWN * r->change.after)
			buf_printf(b, ": %.1f of its %.1f %s", c->with,
			    r->change.after, unit);
		buf_addc(b, '\n');
	} else
		buf_printf(
		    b, " %.2f times, %.2f before\n", c->rate[1], c->rate[0]);
}

size_t
calls_drop(const struct measure *m, struct row *rows, size_t n)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		if (!rows[i].code || measure_is_called(m, &rows[i]))
			rows[left++] = rows[i];
	return left;
}

bool
calls_is_small(const struct show *s, const struct row *r)
{
	return s->m->per_call && s->code && !r->code &&
	       fabs(measure_growth(s->m, &r->change)) < SMALL;
}

bool
calls_is_dearer(const struct row *r)
{
	return r->code && r->change.significant && r->change.more > 0;
}

const struct code_func *
calls_jumped(const struct show *s)
{
	for (size_t i = 0; s->code && i < s->code->n; i++)
		if (code_is_dearer(&s->code->v[i]))
			return &s->code->v[i];
	return NULL;
}

/* Up to the first function whose code is equal. */
static void
add_called(const struct show *s, struct buf *b)
{
	const struct row *r = s->rows, *end = r + s->n;
	struct called c;
	size_t said = 0;

	for (; r < end && r->code; r++)
		if (said < CALLS_PUT && calls_changed(s, r, &c)) {
			put_called(s, r, &c, b);
			said++;
		}
	if (r < end && calls_changed(s, r, &c))
		put_called(s, r, &c, b);
}

const struct row *
calls_behind(const struct show *s, int *side)
{
	const double all[2] = {count_real(profile_total(s->m->p, 0)),
	    count_real(profile_total(s->m->p, 1))};
	const struct row *first[2] = {NULL, NULL};
	size_t looked = 0, fewer[2] = {0, 0};

	if (fabs(all[1] - all[0]) > EQUAL * all[0])
		return NULL;
	for (const struct row *r = s->rows; r < s->rows + s->n; r++) {
		const double x[2] = {
		    calls_of(s->m, r, 0), calls_of(s->m, r, 1)};

		if (fmin(x[0], x[1]) < FAR_CALLS)
			continue;
		looked++;
		for (int k = 0; k < 2; k++)
			if (x[k] < FEWER * x[!k]) {
				fewer[k]++;
				first[k] = first[k] ? first[k] : r;
			}
	}
	*side = fewer[1] >= fewer[0];
	return looked >= FAR_ROWS && fewer[*side] >= looked / 2 &&
		       fewer[!*side] <= looked / 10
		   ? first[*side]
		   : NULL;
}

static void
add_calls(const struct show *s, const struct row *r, int side, struct buf *b)
{
	count_commas(&profile_call(s->m->p, r->key[side])->calls[side], b);
}

static void
add_behind(const struct show *s, struct buf *b)
{
	static const char *const names[] = {"before", "after"};
	int side;
	const struct row *r = calls_behind(s, &side);

	if (r == NULL)
		return;
	buf_printf(b, "%s did not get as far: ", names[side]);
	add_calls(s, r, side, b);
	buf_adds(b, " calls of ");
	profile_name(s->m->p, r->key[side], b);
	buf_printf(b, " in as many %s, ", s->side[0].unit);
	add_calls(s, r, !side, b);
	buf_printf(b, " %s\n", names[!side]);
}

/* `pvPortMalloc +19.6 % (+408.7 in each of 64,571 calls)` */
static void
add_dearer(const struct show *s, const struct row *r, struct buf *b)
{
	const struct change *c = &r->change;
	const double more = c->after - c->before;
	const struct count calls = {
	    (uint64_t)profile_call(s->m->p, r->key[0])->compared, 0};

	profile_name(s->m->p, r->key[1], b);
	buf_printf(b, " %+.3g %% (", 100 * measure_growth(s->m, c));
	buf_printf(b, more < 0.1 ? "%+.2g in " : "%+.1f in ", more);
	buf_adds(b, calls.whole == 1 ? "its call" : "each of ");
	if (calls.whole != 1) {
		count_commas(&calls, b);
		buf_adds(b, " calls");
	}
	buf_addc(b, ')');
}

/*
 * Whose code differs and is called much more often: that costs, even if each
 * call has become cheaper.
 */
static void
add_oftener(const struct show *s, struct buf *b)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n && n < NAMED; i++) {
		const struct row *r = &s->rows[i];
		const double was = calls_of(s->m, r, 0),
			     is = calls_of(s->m, r, 1);

		if (r->code == NULL || was < 1 || is < OFTENER * was ||
		    is - was < MORE_CALLS)
			continue;
		n++;
		profile_name(s->m->p, r->key[1], b);
		buf_adds(b, ", whose code differs, is called ");
		add_calls(s, r, 1, b);
		buf_adds(b, " times, ");
		add_calls(s, r, 0, b);
		buf_printf(b, " before: x%.3g\n", is / was);
	}
}

/* The answer: whose change costs more in each call, that of most first. */
static void
add_answer(const struct show *s, struct buf *b)
{
	size_t n = 0, differ = 0, jumped = 0, named = 0;

	for (size_t i = 0; i < s->n; i++) {
		differ += s->rows[i].code != NULL;
		n += calls_is_dearer(&s->rows[i]);
	}
	if (s->code)
		for (size_t i = 0; i < s->code->n; i++)
			jumped += code_is_dearer(&s->code->v[i]);
	n += jumped;
	if (differ + jumped == 0)
		return;
	buf_printf(b,
	    n ? "%zu function%s whose code differs cost%s more"
	      : "no function whose code differs costs more",
	    n, n == 1 ? "" : "s", n == 1 ? "s" : "");
	for (size_t i = 0; i < s->n && named < NAMED; i++)
		if (calls_is_dearer(&s->rows[i])) {
			buf_adds(b, named++ ? ", " : ": ");
			add_dearer(s, &s->rows[i], b);
		}
	for (size_t i = 0; jumped > 0 && i < s->code->n && named < NAMED; i++) {
		const struct code_func *f = &s->code->v[i];

		if (!code_is_dearer(f))
			continue;
		buf_printf(b, "%s%s %+.3g %% in as many calls of its callers",
		    named++ ? ", " : ": ", f->plain,
		    100 * (f->jumped[1] / f->jumped[0] - 1));
	}
	if (n > named)
		buf_printf(b, " and %zu more", n - named);
	buf_addc(b, '\n');
}

void
calls_end(const struct show *s, struct buf *b)
{
	add_called(s, b);
	code_jumps(s->code, s->side[0].unit, b);
	code_rest(s->code, CODE_NOT_RUN, b);
	add_behind(s, b);
	add_oftener(s, b);
	add_answer(s, b);
}
