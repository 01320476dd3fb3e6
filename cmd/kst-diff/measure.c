/* SPDX-License-Identifier: ISC */
/*
 * The formulas. Each way gives an estimate, a standard error, an interval, and
 * a probability; the sources are in kst-diff(1).
 */
#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/stats.h"
#include "base/xalloc.h"
#include "boot.h"

static const double TAILS = 0.05, FALSE_SHARE = 0.05;

static const struct count *
weight_of(const struct measure *m, uint32_t key, int side)
{
	const struct profile_key *k = &m->p->keys[key];

	return m->self ? &k->self[side] : &k->total[side];
}

/* A change of costs is a ratio; everything is worked out with its logarithm. */
static void
set_interval(const struct measure *m, struct change *c, double se, double df)
{
	double d = m->kind == KIND_COST ? log(c->change) : c->change;
	double t = stats_t_quantile(TAILS, df);

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

/* The key's value in each file of a side. */
static struct stats_mean
mean_of_files(const struct measure *m, int side, uint32_t key)
{
	const struct profile_side *s = &m->p->side[side];
	double *v = xcalloc(s->n_parts, sizeof *v);
	struct stats_mean mean;
	size_t n;
	const struct profile_cell *c = profile_cells(m->p, side, key, &n);

	for (size_t i = 0; i < n; i++) {
		double w = m->self ? c[i].self : c[i].total;

		if (m->kind == KIND_COST)
			v[c[i].part] = w * s->n_parts / m->work[side];
		else if (w > 0)
			v[c[i].part] = w / s->part_total[c[i].part];
	}
	mean = stats_mean(v, s->n_parts);
	free(v);
	return mean;
}

/*
 * Welch's test. Samples vary at least as independent ones do: if three files
 * have one sample each of something rare, and three none, this shows nothing.
 */
static void
by_files(const struct measure *m, uint32_t key, const double x[2],
    const double n[2], struct change *c)
{
	struct stats_mean a = mean_of_files(m, 0, key),
			  b = mean_of_files(m, 1, key);
	double df = stats_welch_df(&a, &b), share;

	if (m->kind == KIND_COST) {
		a.var /= a.mean * a.mean;
		b.var /= b.mean * b.mean;
		df = stats_welch_df(&a, &b);
		if (m->samples) {
			a.var = fmax(a.var, 1 / x[0]);
			b.var = fmax(b.var, 1 / x[1]);
		}
	} else {
		c->before = a.mean;
		c->after = b.mean;
		c->change = b.mean - a.mean;
		share = (x[0] + x[1]) / (n[0] + n[1]);
		if (m->samples) {
			a.var = fmax(a.var, share * (1 - share) / n[0]);
			b.var = fmax(b.var, share * (1 - share) / n[1]);
		}
	}
	set_interval(m, c, sqrt(a.var + b.var), df);
}

/* Two shares of samples of which each `effect` are worth one. */
static void
by_samples(const struct measure *m, const double x[2], const double n[2],
    double effect, double df, struct change *c)
{
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
	t = stats_t_quantile(TAILS, df);
	i = stats_newcombe(
	    x[0] / effect, n[0] / effect, x[1] / effect, n[1] / effect, t);
	se = sqrt(share * (1 - share) * effect * (1 / n[0] + 1 / n[1]));
	c->low = i.low;
	c->high = i.high;
	c->se = (i.high - i.low) / 2 / t;
	c->p = se > 0 ? stats_t_tails(c->change / se, df) : 1;
}

struct change
measure_key(const struct measure *m, uint32_t key)
{
	struct change c = {.low = -INFINITY, .high = INFINITY, .p = 1};
	double x[2], n[2], effect = 1, df = INFINITY;

	for (int s = 0; s < 2; s++) {
		x[s] = count_real(weight_of(m, key, s));
		n[s] = count_real(&m->p->side[s].total);
	}
	if (m->kind == KIND_COST) {
		c.before = x[0] / m->work[0];
		c.after = x[1] / m->work[1];
		c.change = x[0] > 0 ? c.after / c.before : INFINITY;
		c.low = 0;
	} else {
		c.before = x[0] / n[0];
		c.after = x[1] / n[1];
		c.change = c.after - c.before;
	}
	if (m->method == METHOD_NONE)
		return c;
	c.tested = !m->samples || x[0] + x[1] >= TEST_MIN;
	if (m->method == METHOD_FILES &&
	    (m->kind == KIND_SHARE || (x[0] > 0 && x[1] > 0))) {
		by_files(m, key, x, n, &c);
		return c;
	}
	if (!m->samples) { /* a cost of 0 has no logarithm */
		c.tested = false;
		return c;
	}
	if (m->method == METHOD_CAPTURES && c.tested)
		effect = boot_effect(m, key, &df);
	by_samples(m, x, n, effect, df, &c);
	return c;
}

struct row *
measure_rows(const struct measure *m, size_t *n)
{
	struct row *rows = xcalloc(m->p->n_keys + 1, sizeof *rows);
	double *p = xcalloc(m->p->n_keys + 1, sizeof *p), cut;
	size_t n_p = 0;

	*n = 0;
	for (uint32_t k = m->p->n_marks; k < m->p->n_keys; k++) {
		struct row *r = &rows[*n];
		const struct count *a = weight_of(m, k, 0),
				   *b = weight_of(m, k, 1);

		if (count_real(a) + count_real(b) <= 0)
			continue;
		*r = (struct row){k, {a, b}, measure_key(m, k)};
		if (r->change.tested)
			p[n_p++] = r->change.p;
		++*n;
	}
	cut = stats_significant(p, n_p, FALSE_SHARE);
	for (size_t i = 0; i < *n; i++) {
		struct change *c = &rows[i].change;

		c->significant = c->tested && c->p <= cut;
	}
	free(p);
	return rows;
}

/* The interval must end before the limit, with 1 % left to chance. */
double
measure_needed(const struct change *c, double limit)
{
	double t = stats_t_quantile(TAILS, INFINITY) +
		   stats_t_quantile(0.02, INFINITY);

	return c->se * t / limit * (c->se * t / limit);
}
