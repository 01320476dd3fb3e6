/* SPDX-License-Identifier: ISC */
#include "boot.h"

#include <math.h>
#include <stdlib.h>

#include "base/stats.h"
#include "base/xalloc.h"

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

double
boot_effect(const struct measure *m, uint32_t key, double *df)
{
	*df = m->p->side[0].n_parts + m->p->side[1].n_parts - 2;
	return fmax(
	    1, fmax(effect_of_side(m, key, 0), effect_of_side(m, key, 1)));
}
