/* SPDX-License-Identifier: ISC */
/*
 * The formulas. Each way gives an estimate, a standard error, an interval, and
 * a probability; the sources are in kst-diff(1).
 */
#include "measure.h"

#include <math.h>
#include <stdlib.h>

#include "base/stats.h"
#include "base/xalloc.h"

static const double TAILS = 0.05, FALSE_SHARE = 0.05;

static const struct count *
weight_of(const struct measure *m, uint32_t key, int side)
{
	const struct profile_key *k = &m->p->keys[key];

	return m->self ? &k->self[side] : &k->total[side];
}

/*
 * The block bootstrap: how much captures vary, beyond independent samples. A
 * block is some captures in a row; 1000 times as many blocks as there are get
 * drawn from them, by a fixed seed.
 */
enum { DRAWS = 1000, BLOCKS_MIN = 8, BLOCKS_MAX = 1024 };

struct boot {
	float *times[2];  /* [block][draw]: how often it was drawn */
	double *total[2]; /* [draw]: the sum of the blocks that were drawn */
};

/*
 * A block has about the square root of all captures: longer ones show longer
 * phases of the guest, more of them make the variance surer (Flegal and Jones,
 * Ann. Stat. 38 (2010), 1034).
 */
static void
make_blocks(struct profile *p, int side)
{
	struct profile_side *s = &p->side[side];

	while (s->n_parts > BLOCKS_MAX ||
	       4 * s->part_len * s->part_len <= s->captures)
		profile_halve(p, side);
}

static void
draw(struct boot *b, const struct profile_side *s, int side)
{
	uint64_t seed = 1;
	uint32_t n = s->n_parts;

	b->times[side] = xcalloc((size_t)n * DRAWS, sizeof *b->times[side]);
	b->total[side] = xcalloc(DRAWS, sizeof *b->total[side]);
	for (size_t d = 0; d < DRAWS; d++)
		for (uint32_t i = 0; i < n; i++) {
			uint64_t r = stats_random(&seed) >> 32;
			size_t block = (size_t)(r * n >> 32);

			b->times[side][block * DRAWS + d] += 1;
			b->total[side][d] += s->part_total[block];
		}
}

bool
measure_blocks(struct measure *m, struct profile *p)
{
	make_blocks(p, 0);
	make_blocks(p, 1);
	if (p->side[0].n_parts < BLOCKS_MIN || p->side[1].n_parts < BLOCKS_MIN)
		return false;
	m->boot = xcalloc(1, sizeof *m->boot);
	draw(m->boot, &p->side[0], 0);
	draw(m->boot, &p->side[1], 1);
	return true;
}

void
measure_done(struct measure *m)
{
	for (int s = 0; m->boot && s < 2; s++) {
		free(m->boot->times[s]);
		free(m->boot->total[s]);
	}
	free(m->boot);
}

static double
effect_of_side(const struct measure *m, uint32_t key, int side)
{
	const struct profile_side *s = &m->p->side[side];
	double sum[DRAWS] = {0}, total = 0, weight = 0, plain, n = s->n_parts;
	size_t n_cells;
	const struct profile_cell *c = profile_cells(m->p, side, key, &n_cells);
	struct stats_mean mean;

	for (size_t i = 0; i < n_cells; i++) {
		const float *times =
		    m->boot->times[side] + (size_t)c[i].part * DRAWS;
		double w = m->self ? c[i].self : c[i].total;

		weight += w;
		for (size_t d = 0; d < DRAWS; d++)
			sum[d] += w * (double)times[d];
	}
	for (uint32_t i = 0; i < s->n_parts; i++)
		total += s->part_total[i];
	plain = weight;
	if (m->kind == KIND_SHARE) {
		plain = weight / total * (1 - weight / total) / total;
		for (size_t d = 0; d < DRAWS; d++)
			sum[d] = m->boot->total[side][d] > 0
				     ? sum[d] / m->boot->total[side][d]
				     : 0;
	}
	mean = stats_mean(sum, DRAWS);
	/* of the draws, not of their mean; n blocks vary by n - 1 */
	return plain > 0 ? mean.var * DRAWS * n / (n - 1) / plain : 1;
}

/*
 * How many samples are worth one independent sample: the variance of the key's
 * share (or weight, for costs) over that of independent samples, of the side
 * where it is larger, at least 1. *df: degrees of freedom of the blocks.
 */
static double
boot_effect(const struct measure *m, uint32_t key, double *df)
{
	*df = m->p->side[0].n_parts + m->p->side[1].n_parts - 2;
	return fmax(
	    1, fmax(effect_of_side(m, key, 0), effect_of_side(m, key, 1)));
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
