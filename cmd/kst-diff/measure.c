/* SPDX-License-Identifier: ISC */
/*
 * One method for runs and for traces, which are cut into parts: a t test whose
 * variances lean on those of rows of a like share. kst-diff(1) has the formulas
 * and their sources.
 */
#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sides/profile.h"
#include "usual.h"
#include "base/buf.h"
#include "base/xalloc.h"
#include "code/code.h"

/* Fewer functions that ran on one side only are left to chance. */
enum { WORK_LEAST = 5 };

static const struct count *
weight_of(const struct measure *m, uint32_t key, int side)
{
	return &m->p->keys[key].weight[side][m->self];
}

/* The variance of a side's mean if samples are independent of each other. */
static double
least_variance(const struct measure *m, const struct pair *r, int side)
{
	double p = (r->x[0] + r->x[1]) / (r->n[0] + r->n[1]);

	if (!m->samples)
		return 0;
	if (m->kind == KIND_COST)
		return (r->x[0] + r->x[1]) / (m->work[0] + m->work[1]) /
		       m->work[side];
	return p * (1 - p) / r->n[side];
}

/* The variance of a side's mean. */
struct variance {
	double own; /* as its parts show it */
	double v;   /* with what is usual, and not less than the least */
	double df;  /* its degrees of freedom */
};

/* A side of one run is taken to vary as the other's runs do. */
static struct variance
variance_of(const struct measure *m, const struct pair *r, int side)
{
	const struct usual *u = &m->usual;
	const struct stats_mean *of = &r->v[r->v[side].n > 1 ? side : !side];
	struct variance var = {.df = INFINITY};

	if (pair_has_parts(m)) {
		double by = u->drift / r->v[side].n, known = of->n - 1;
		double usual = u->level[of != &r->v[0]] * pair_plain(m, r) *
			       pow(pair_share(r), u->power);

		var.own = by * of->var * of->n;
		var.v =
		    (known * var.own + u->df * by * usual) / (known + u->df);
		/* the same rows tell both sides: half their worth for each */
		var.df = known + u->df / 2;
	}
	var.v = fmax(var.v, least_variance(m, r, side));
	return var;
}

/* Fieller, J. R. Stat. Soc. B 16 (1954), 175: of the ratio of two means. */
static void
set_ratio(struct change *c, const double var[2], double t)
{
	double a = c->before, b = c->after;
	double q = a * a - t * t * var[0], rest = b * b - t * t * var[1];
	double root = sqrt(fmax(0, a * a * b * b - q * rest));

	c->low = rest > 0 ? rest / (a * b + root) : 0;
	c->high = q > 0 ? (a * b + root) / q : INFINITY;
	c->se = sqrt(var[1] + c->change * c->change * var[0]) / a;
}

/* Remembers quantiles of whole df. */
static double
quantile(double level, double df)
{
	static struct {
		double level, df, t;
	} memo[64], *at;

	at = &memo[(size_t)fmin(df, 63)];
	if (at->level != level || at->df != df) {
		at->level = level;
		at->df = df;
		at->t = stats_t_quantile(level, df);
	}
	return at->t;
}

/* A row that varies more than is usual is believed. */
static void
set_interval(const struct measure *m, const struct pair *r, struct change *c)
{
	struct variance a = variance_of(m, r, 0), b = variance_of(m, r, 1);
	double more = fmax(1, (a.own + b.own) / fmax(a.v + b.v, 1e-300));
	double var[2] = {more * a.v, more * b.v}, df, t;
	double d = c->after - c->before;

	df = stats_welch_df(&(struct stats_mean){.var = a.v, .n = a.df + 1},
	    &(struct stats_mean){.var = b.v, .n = b.df + 1});
	if (!pair_has_parts(m) || r->v[0].n == 1 || r->v[1].n == 1)
		df = a.df;
	/* rounded down, so that a quantile serves many rows */
	df = fmax(df / m->usual.drift, fmin(df, 2));
	df = fmax(1, floor(df + 1e-9));
	t = quantile(m->level, df);
	c->se = sqrt(var[0] + var[1]);
	if (c->se > 0)
		c->p = stats_t_tails(d / c->se, df);
	else
		c->p = d == 0; /* nothing varies: any change is one */
	c->low = fmax(d - t * c->se, -1);
	c->high = fmin(d + t * c->se, 1);
	if (m->kind == KIND_COST)
		set_ratio(c, var, t);
}

/* Small counts are not normal; those of costs relate as the work. */
static double
exact_p(const struct measure *m, const struct pair *r)
{
	if (m->kind == KIND_COST)
		return stats_binomial(
		    r->x[0], r->x[1], m->work[0] / (m->work[0] + m->work[1]));
	return stats_fisher(r->x[0], r->n[0], r->x[1], r->n[1]);
}

double
measure_growth(const struct measure *m, const struct change *c)
{
	if (c->before <= 0)
		return INFINITY;
	return m->kind == KIND_COST ? c->change - 1 : c->change / c->before;
}

/* Self weight of each call. A row without such calls is not tested. */
static struct change
per_call(const struct measure *m, uint32_t key)
{
	const struct profile_call *k = profile_call(m->p, key);
	struct change c = {.p = 1};

	c.before = k->compared > 0 ? k->cost[0] / k->compared : NAN;
	c.after = k->compared > 0 ? k->cost[1] / k->compared : NAN;
	c.tested = m->method == METHOD_EXACT && c.before > 0;
	c.change = c.low = c.high = c.tested ? k->cost[1] / k->cost[0] : NAN;
	if (c.tested) {
		c.more = k->cost[1] - k->cost[0];
		c.p = fabs(c.change - 1) < 1e-12;
	}
	return c;
}

struct change
measure_row(const struct measure *m, const uint32_t key[2])
{
	struct change c = {.low = -INFINITY, .high = INFINITY, .p = 1};
	struct pair r;

	if (m->per_call)
		return per_call(m, key[0]);
	r = pair_of(m, key);
	c.before = r.v[0].mean;
	c.after = r.v[1].mean;
	c.change = c.after - c.before;
	if (m->kind == KIND_COST)
		c.change = c.before > 0 ? c.after / c.before : INFINITY;
	c.tested = m->method == METHOD_EXACT || pair_is_large(m, key, m->least);
	if (m->method == METHOD_NONE) {
		c.low = c.p = NAN;
	} else if (m->method == METHOD_EXACT) {
		c.more = r.x[1] - r.x[0];
		if (m->kind == KIND_SHARE) { /* of all that there was before */
			c.after = r.x[1] / r.n[0];
			c.change = c.more / r.n[0];
		}
		c.low = c.high = c.change;
		c.p = c.more == 0;
	} else {
		set_interval(m, &r, &c);
		if (m->samples && c.tested) /* of others none asks */
			c.p = fmax(c.p, exact_p(m, &r));
	}
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

bool
measure_is_called(const struct measure *m, const struct row *r)
{
	return count_real(&profile_call(m->p, r->key[0])->calls[0]) > 0 ||
	       count_real(&profile_call(m->p, r->key[1])->calls[1]) > 0;
}

/* What is known of a function without calls. */
static void
set_jumped(const struct measure *m, const struct row *r, struct code_func *f)
{
	for (int k = 0; k < 2 && m->per_call; k++) {
		f->self[k] = *r->weight[k];
		f->jumped[k] = profile_call(m->p, r->key[k])->jumped[k];
	}
}

void
measure_mark(
    const struct measure *m, struct code *c, struct row *rows, size_t n)
{
	struct buf b = BUF_INIT;

	for (size_t i = 0; i < n; i++)
		for (int k = 0; k < 2 && rows[i].code == NULL; k++) {
			struct code_func *f;

			b.len = 0;
			profile_name(m->p, rows[i].key[k], &b);
			f = code_find(c, buf_str(&b));
			rows[i].code = f ? f->how : NULL;
			rows[i].place = f ? f->place : NULL;
			if (f == NULL)
				continue;
			f->ran |=
			    !m->per_call || measure_is_called(m, &rows[i]);
			set_jumped(m, &rows[i], f);
		}
	buf_done(&b);
}

bool
measure_same_work(
    const struct measure *m, const struct row *rows, size_t n, size_t only[2])
{
	struct buf name = BUF_INIT;
	size_t all = 0;

	only[0] = only[1] = 0;
	for (size_t i = 0; i < n; i++) {
		const struct row *r = &rows[i];
		double ran[2];

		/* also where all was spent in what it calls */
		for (int k = 0; k < 2; k++)
			ran[k] =
			    count_real(&m->p->keys[r->key[k]].weight[k][0]);
		name.len = 0;
		profile_name(m->p, r->key[0], &name);
		if (strncmp(buf_str(&name), "0x", 2) == 0 ||
		    (r->code && strcmp(r->code, "differs") != 0))
			continue;
		all++;
		for (int k = 0; k < 2; k++)
			only[k] += ran[!k] <= 0;
	}
	buf_done(&name);
	return only[0] + only[1] <= all / 10 || only[0] + only[1] < WORK_LEAST;
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
	double grown = m->kind == KIND_COST ? limit - 1 : limit;

	t *= c->se / fmax(fabs(c->change - limit), grown / 2);
	return fmax(t * t, 1.2); /* what there is did not */
}
