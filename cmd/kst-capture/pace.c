/* SPDX-License-Identifier: ISC */
/* The places are numbers of splitmix64, counted on from the seed. */
#include "capture.h"

static uint64_t
random_at(uint64_t seed, uint64_t k)
{
	uint64_t z = seed + (k + 1) * 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static uint64_t
place(const struct pace *p, uint64_t k)
{
	uint64_t at = p->start + k * p->step, in;

	if (!p->jitter)
		return at;
	in = (uint64_t)((double)(random_at(p->seed, k) >> 11) / (1ULL << 53) *
			(double)p->step);
	return at - p->step / 2 + in;
}

uint64_t
pace_next(struct pace *p, uint64_t now)
{
	uint64_t due, first = p->k + 1, late;

	if (p->step == 0)
		return now;
	due = place(p, ++p->k);
	if (now < due || now - due < p->step)
		return due;
	late = (now - p->start) / p->step;
	p->k = late > p->k ? late : p->k;
	while ((due = place(p, p->k)) < now)
		p->k++;
	p->missed += p->k - first;
	return due;
}

/* Time that was not needed is kept for later, up to this. */
static const double saved_max = 1e9, debt_max = 1e9;

uint64_t
budget_next(struct budget *b, uint64_t now, uint64_t ns)
{
	if (b->share <= 0)
		return now;
	if (b->at != 0)
		b->debt -= b->share * (double)(now - b->at);
	if (b->debt < -b->share * saved_max)
		b->debt = -b->share * saved_max;
	b->debt += (double)ns;
	if (b->debt > b->share * debt_max + b->free)
		b->debt = b->share * debt_max + b->free;
	b->at = now;
	return b->debt > b->free
		   ? now + (uint64_t)((b->debt - b->free) / b->share)
		   : now;
}
