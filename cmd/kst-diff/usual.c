/* SPDX-License-Identifier: ISC */
#include "usual.h"

#include <math.h>
#include <stdlib.h>

#include "base/xalloc.h"

/* Other rows count as so many values of a row at most. */
enum { USUAL_MAX = 24 };

/* From this share on, a row shows what is usual. */
#define USUAL_SHARE 0.01

static const struct count *
weight_of(const struct measure *m, uint32_t key, int side)
{
	return &m->p->keys[key].weight[side][m->self];
}

bool
pair_has_parts(const struct measure *m)
{
	return m->method == METHOD_FILES || m->method == METHOD_CAPTURES;
}

/* The variance of the mean of n values, if each `many` are one. */
static double
variance_of_joined(const double *v, size_t n, size_t many)
{
	double joined[PROFILE_BATCHES] = {0};

	for (size_t i = 0; i < n; i++)
		joined[i / many] += v[i] / (double)many;
	return stats_mean(joined, n / many).var;
}

/* The shares or costs of the parts of a side. */
static void
take_parts(
    const struct measure *m, struct pair *r, int side, uint32_t key, double sum)
{
	const struct profile_side *s = &m->p->side[side];
	double *v = profile_parts(m->p, side, key, m->self);

	for (uint32_t i = 0; i < s->n_parts; i++)
		if (m->kind == KIND_COST)
			v[i] /= m->work[side] * s->part_time[i];
		else if (v[i] > 0)
			v[i] /= s->part_total[i];
	r->v[side] = stats_mean(v, s->n_parts);
	if (m->method == METHOD_CAPTURES) {
		r->v[side].mean = sum;
		r->halves[side] =
		    variance_of_joined(v, s->n_parts, PROFILE_BATCHES / 2);
		r->quarters[side] =
		    variance_of_joined(v, s->n_parts, PROFILE_BATCHES / 4);
	}
	free(v);
}

struct pair
pair_of(const struct measure *m, const uint32_t key[2])
{
	struct pair r = {0};

	for (int i = 0; i < 2; i++) {
		double sum;

		r.x[i] = count_real(weight_of(m, key[i], i));
		r.n[i] = count_real(profile_total(m->p, i));
		sum = r.x[i] / (m->kind == KIND_COST ? m->work[i] : r.n[i]);
		if (pair_has_parts(m))
			take_parts(m, &r, i, key[i], sum);
		else
			r.v[i] = (struct stats_mean){.mean = sum};
	}
	return r;
}

bool
pair_is_large(const struct measure *m, const uint32_t key[2], double share)
{
	bool large = false;

	for (int i = 0; i < 2; i++)
		large |= count_real(weight_of(m, key[i], i)) >=
			 share * count_real(profile_total(m->p, i));
	return large;
}

double
pair_plain(const struct measure *m, const struct pair *r)
{
	double size = (r->v[0].mean + r->v[1].mean) / 2;

	return m->kind == KIND_COST ? size : size * (1 - size);
}

double
pair_share(const struct pair *r)
{
	double share = (r->x[0] / r->n[0] + r->x[1] / r->n[1]) / 2;

	return fmax(share, USUAL_SHARE);
}

/* A row that shows what is usual: its share, and its parts' var / plain. */
struct example {
	double share, var[2];
};

/* The slope of log(var) over log(share) of a side, from 0 to 1. */
static double
power_of(const struct example *e, size_t n, int side)
{
	double mean = 0, sx = 0, sy = 0, xx = 0, xy = 0;

	for (size_t i = 0; i < n; i++)
		mean += e[i].var[side] / (double)n;
	for (size_t i = 0; i < n && mean > 0; i++) {
		double x = log(e[i].share);
		/* equal parts have no logarithm */
		double y = log(fmax(e[i].var[side], mean / 20));

		sx += x;
		sy += y;
		xx += x * x;
		xy += x * y;
	}
	xx -= sx * sx / (double)n;
	xy -= sx * sy / (double)n;
	return xx > 1e-9 ? fmin(fmax(xy / xx, 0), 1) : 0;
}

/*
 * Sets the level. Returns 1 / degrees of freedom that it is worth: variances
 * over their mean have an F distribution with df and as many degrees.
 */
static double
level_of(
    struct measure *m, const struct example *e, size_t n, int side, double df)
{
	double mean = 0, square = 0, above;

	for (size_t i = 0; i < n; i++) {
		double v = e[i].var[side] / pow(e[i].share, m->usual.power);

		mean += v / (double)n;
		square += v * v / (double)n;
	}
	m->usual.level[side] = mean;
	if (mean <= 0 || n < 2)
		return 0;
	square = (square / (mean * mean) - 1) * (double)n / (double)(n - 1);
	above = df * square - 2;
	return above > 0 ? above / (2 * above + 2 * df * (square + 1)) : 0;
}

static void
set_usual(struct measure *m, const struct example *e, size_t n)
{
	double df[2], inverse = 0;

	for (int i = 0; i < 2; i++)
		df[i] = fmax(0, m->p->side[i].n_parts - 1.0);
	m->usual.power = 0;
	for (int i = 0; i < 2; i++)
		if (df[i] > 0)
			m->usual.power +=
			    df[i] / (df[0] + df[1]) * power_of(e, n, i);
	for (int i = 0; i < 2; i++)
		if (df[i] > 0)
			inverse += level_of(m, e, n, i, df[i]);
	inverse /= (df[0] > 0) + (df[1] > 0);
	m->usual.df = fmax(0, fmin(USUAL_MAX, (double)n - 1));
	if (inverse > 0)
		m->usual.df = fmin(m->usual.df, 1 / inverse);
}

void
usual_take(struct measure *m)
{
	struct example *e = xcalloc(m->p->n_keys + 1, sizeof *e);
	double whole = 0, halves = 0, quarters = 0;
	size_t n = 0;

	m->usual = (struct usual){.drift = 1};
	for (uint32_t k = m->p->first; k < m->p->n_keys && pair_has_parts(m);
	     k++) {
		const uint32_t key[2] = {k, k};
		struct pair r;
		double by;

		if (!pair_is_large(m, key, USUAL_SHARE))
			continue;
		r = pair_of(m, key);
		by = pair_plain(m, &r);
		if (by < 1e-12) /* the share of a root is always 1 */
			continue;
		e[n].share = pair_share(&r);
		for (int i = 0; i < 2; i++) {
			e[n].var[i] = r.v[i].var * r.v[i].n / by;
			whole += r.v[i].var / by;
			halves += r.halves[i] / by;
			quarters += r.quarters[i] / by;
		}
		n++;
	}
	/* what phases longer than a batch add: halves then vary more */
	if (m->method == METHOD_CAPTURES && whole > 0)
		m->usual.drift = fmax(1, fmax(halves, quarters) / whole);
	if (n > 0)
		set_usual(m, e, n);
	free(e);
}
