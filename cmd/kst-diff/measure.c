/* SPDX-License-Identifier: ISC */
/*
 * The formulas. Each way gives an estimate, a standard error, an interval, and
 * a probability; the sources are in kst-diff(1).
 */
#include "measure.h"

#include <math.h>
#include <stdlib.h>

#include "sides/profile.h"
#include "profile/stats.h"
#include "base/xalloc.h"

enum { TIMES_MIN = 50 }; /* see measure_lacks() */

static const struct count *
weight_of(const struct measure *m, uint32_t key, int side)
{
	return &m->p->keys[key].weight[side][m->self];
}

/* The parts of a side as a series in time, of one key. */
struct series {
	double plain; /* variance of the key's weight by independent samples */
	double var;   /* the same if parts were independent of each other */
	double time;  /* in parts, see stats_autocorrelation() */
};

static struct series
series_of(const struct measure *m, uint32_t key, int side)
{
	const struct profile_side *s = &m->p->side[side];
	double *v = profile_parts(m->p, side, key, m->self), total = 0,
	       weight = 0;
	bool cost = m->kind == KIND_COST;
	struct series of = {0};

	for (uint32_t i = 0; i < s->n_parts; i++) {
		weight += v[i];
		total += s->part_total[i];
	}
	for (uint32_t i = 0; i < s->n_parts; i++) {
		/* how far it is from what the whole lets expect */
		v[i] -= weight *
			(cost ? 1.0 / s->n_parts : s->part_total[i] / total);
		of.var += v[i] * v[i];
	}
	of.plain = cost ? weight : weight * (1 - weight / total);
	of.time = stats_autocorrelation(v, s->n_parts);
	free(v);
	return of;
}

/*
 * How many samples are worth one independent sample: the variance of the key's
 * weight over that of independent samples, of the side where it is larger, at
 * least 1. *df: how many independent values both sides have, less 2.
 */
static double
effect_of(const struct measure *m, const uint32_t key[2], double *df)
{
	double effect = 1;

	*df = -2;
	for (int side = 0; side < 2; side++) {
		struct series s = series_of(m, key[side], side);
		double times = m->p->side[side].n_parts / s.time;

		/* so many values vary by one less */
		s.var *= s.time * times / fmax(times - 1, 1);
		if (s.plain > 0)
			effect = fmax(effect, s.var / s.plain);
		*df += times;
	}
	*df = fmax(*df, 1);
	return effect;
}

/* Functions vary together: the side's time is their mean, by variance. */
double
measure_lacks(const struct measure *m, int side)
{
	double time = 0, all = 0;

	for (uint32_t k = m->p->first; k < m->p->n_keys; k++)
		if (count_real(weight_of(m, k, side)) >= TEST_MIN) {
			struct series s = series_of(m, k, side);

			time += s.var * s.time;
			all += s.var;
		}
	time = all > 0 ? time / all : 1;
	return fmax(1, TIMES_MIN * time / m->p->side[side].n_parts);
}

/* A change of costs is a ratio; everything is worked out with its logarithm. */
static void
set_interval(const struct measure *m, struct change *c, double se, double df)
{
	double d = m->kind == KIND_COST ? log(c->change) : c->change;
	double t = stats_t_quantile(m->level, df);

	c->se = se;
	c->low = d - t * se;
	c->high = d + t * se;
	if (m->kind == KIND_COST) {
		c->low = exp(c->low);
		c->high = exp(c->high);
	}
	if (se > 0)
		c->p = stats_t_tails(d / se, df);
	else
		c->p = d == 0; /* nothing varies: any change is one */
}

/* A row's weight and the total of each side. */
struct sums {
	double x[2], n[2];
};

/* The key's value in each file of a side. */
static struct stats_mean
mean_of_files(const struct measure *m, int side, uint32_t key)
{
	const struct profile_side *s = &m->p->side[side];
	double *v = profile_parts(m->p, side, key, m->self);
	struct stats_mean mean;

	for (uint32_t i = 0; i < s->n_parts; i++)
		if (m->kind == KIND_COST)
			v[i] = v[i] * s->n_parts / m->work[side];
		else if (v[i] > 0)
			v[i] /= s->part_total[i];
	mean = stats_mean(v, s->n_parts);
	if (m->kind == KIND_COST)
		mean.var /= mean.mean * mean.mean;
	free(v);
	return mean;
}

/*
 * Welch's test; a side of one file is taken to vary as the other's files do.
 * Samples vary at least as independent ones do: if three files have one sample
 * each of something rare, and three none, this shows nothing.
 */
static void
by_files(const struct measure *m, const uint32_t key[2], const struct sums *s,
    struct change *c)
{
	struct stats_mean side[2];
	double share = (s->x[0] + s->x[1]) / (s->n[0] + s->n[1]), df;

	for (int i = 0; i < 2; i++)
		side[i] = mean_of_files(m, i, key[i]);
	if (m->kind == KIND_SHARE) {
		c->before = side[0].mean;
		c->after = side[1].mean;
		c->change = c->after - c->before;
	}
	df = stats_welch_df(&side[0], &side[1]);
	for (int i = 0; i < 2; i++)
		if (side[i].n == 1) {
			side[i].var = side[!i].var * side[!i].n;
			df = side[!i].n - 1;
		}
	for (int i = 0; i < 2 && m->samples; i++)
		side[i].var = fmax(side[i].var,
		    m->kind == KIND_COST ? 1 / s->x[i]
					 : share * (1 - share) / s->n[i]);
	set_interval(m, c, sqrt(side[0].var + side[1].var), df);
}

/* Two shares of samples of which each `effect` are worth one. */
static void
by_samples(const struct measure *m, const struct sums *s, double effect,
    double df, struct change *c)
{
	const double *x = s->x, *n = s->n;
	struct stats_interval i;
	double share = (x[0] + x[1]) / (n[0] + n[1]), se, t;

	if (m->kind == KIND_COST) {
		/* half a sample more where one side has none */
		double more = x[0] > 0 && x[1] > 0 ? 0 : 0.5;

		c->change =
		    (x[1] + more) / (x[0] + more) * m->work[0] / m->work[1];
		set_interval(m, c,
		    sqrt(effect / (x[0] + more) + effect / (x[1] + more)), df);
		return;
	}
	t = stats_t_quantile(m->level, df);
	i = stats_newcombe(
	    x[0] / effect, n[0] / effect, x[1] / effect, n[1] / effect, t);
	se = sqrt(share * (1 - share) * effect * (1 / n[0] + 1 / n[1]));
	c->low = i.low;
	c->high = i.high;
	c->se = (i.high - i.low) / 2 / t;
	c->p = se > 0 ? stats_t_tails(c->change / se, df) : 1;
}

struct change
measure_row(const struct measure *m, const uint32_t key[2])
{
	struct change c = {.low = -INFINITY, .high = INFINITY, .p = 1};
	struct sums s;
	double effect = 1, df = INFINITY;
	bool files = m->method == METHOD_FILES;

	for (int i = 0; i < 2; i++) {
		s.x[i] = count_real(weight_of(m, key[i], i));
		s.n[i] = count_real(profile_total(m->p, i));
	}
	if (m->kind == KIND_COST) {
		c.before = s.x[0] / m->work[0];
		c.after = s.x[1] / m->work[1];
		c.change = s.x[0] > 0 ? c.after / c.before : INFINITY;
		c.low = 0;
	} else {
		c.before = s.x[0] / s.n[0];
		c.after = s.x[1] / s.n[1];
		c.change = c.after - c.before;
	}
	if (m->method == METHOD_NONE) {
		c.low = c.p = NAN;
		return c;
	}
	if (m->method == METHOD_EXACT) {
		c.low = c.high = c.change;
		c.more = s.x[1] - s.x[0];
		c.p = s.x[0] != s.x[1] ? 0 : 1;
		c.tested = true;
		return c;
	}
	/* a cost of 0 has no logarithm */
	if (files && m->kind == KIND_COST && (s.x[0] <= 0 || s.x[1] <= 0))
		files = false;
	if (!files && !m->samples)
		return c;
	c.tested = !m->samples || s.x[0] + s.x[1] >= TEST_MIN;
	if (m->method == METHOD_CAPTURES && c.tested)
		effect = effect_of(m, key, &df);
	if (files)
		by_files(m, key, &s, &c);
	else
		by_samples(m, &s, effect, df, &c);
	/* small counts are not normal; those of costs relate as the work */
	if (m->samples && m->kind == KIND_COST)
		c.p = fmax(c.p, stats_binomial(s.x[0] / effect, s.x[1] / effect,
				    m->work[0] / (m->work[0] + m->work[1])));
	else if (m->samples)
		c.p = fmax(c.p, stats_fisher(s.x[0] / effect, s.n[0] / effect,
				    s.x[1] / effect, s.n[1] / effect));
	return c;
}

struct row *
measure_rows(const struct measure *m, size_t *n)
{
	struct row *rows = xcalloc(m->p->n_keys + 1, sizeof *rows);

	*n = 0;
	for (uint32_t k = m->p->first; k < m->p->n_keys; k++) {
		struct row *r = &rows[*n];
		const struct count *a = weight_of(m, k, 0),
				   *b = weight_of(m, k, 1);

		if (count_real(a) + count_real(b) <= 0)
			continue;
		*r = (struct row){.key = {k, k}, .weight = {a, b}};
		r->change = measure_row(m, r->key);
		++*n;
	}
	measure_test(m, rows, *n);
	return rows;
}

void
measure_test(const struct measure *m, struct row *rows, size_t n)
{
	double *p = xcalloc(n + 1, sizeof *p), cut;
	size_t n_p = 0;

	for (size_t i = 0; i < n; i++)
		if (rows[i].change.tested)
			p[n_p++] = rows[i].change.p;
	cut = stats_significant(p, n_p, m->level);
	for (size_t i = 0; i < n; i++) {
		struct change *c = &rows[i].change;

		c->significant = c->tested && c->p <= cut;
	}
	free(p);
}

/* The interval must end before the limit, with 1 % left to chance. */
double
measure_needed(const struct measure *m, const struct change *c, double limit)
{
	double t =
	    stats_t_quantile(0.05, INFINITY) + stats_t_quantile(0.02, INFINITY);
	double change = c->change;

	if (m->kind == KIND_COST) {
		limit = log(limit);
		change = log(change);
	}
	t *= c->se / fmax(fabs(change - limit), limit / 2);
	return fmax(t * t, 1.2); /* what there is did not */
}
