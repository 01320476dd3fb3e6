/* SPDX-License-Identifier: ISC */
/*
 * Knows which memory to ask for, and when the guest may go on.
 */
#include "sampler.h"
#include <stdlib.h>
#include <string.h>
#include "clock.h"
#include "xalloc.h"

enum { PAGE = 4096 };

void
sampler_done(struct sampler *s)
{
	for (size_t i = 0; i < s->n_cpu; i++)
		snap_done(&s->cpu[i].snap);
	free(s->cpu);
	free(s->list);
	stacks_done(&s->stacks);
	memset(s, 0, sizeof(*s));
}

struct vcpu *
sampler_add(struct sampler *s)
{
	struct vcpu *c;

	s->cpu = xreallocn(s->cpu, s->n_cpu + 1, sizeof(*s->cpu));
	c = &s->cpu[s->n_cpu++];
	memset(c, 0, sizeof(*c));
	return c;
}

static void
want(struct sampler *s, size_t cpu, uint64_t addr, size_t len)
{
	if (s->n_list == s->cap_list) {
		s->cap_list = s->cap_list ? 2 * s->cap_list : 64;
		s->list = xreallocn(s->list, s->cap_list, sizeof(*s->list));
	}
	s->list[s->n_list++] =
	    (struct sampler_read){(uint32_t)cpu, (uint32_t)len, addr};
}

/*
 * [addr, addr + len) in reads that the protocol can carry. A read that runs
 * into a page that is not mapped fails as a whole: `pages` ends them there.
 */
static void
want_range(struct sampler *s, size_t cpu, uint64_t addr, size_t len, bool pages)
{
	while (len > 0) {
		size_t n = len < s->chunk ? len : s->chunk;
		size_t left = PAGE - (addr & (PAGE - 1));

		if (pages && n > left)
			n = left;
		want(s, cpu, addr, n);
		addr += n;
		len -= n;
	}
}

/* Plans the reads of all stacks; returns whether none is left to chance. */
static bool
plan(struct sampler *s)
{
	bool sure = true;

	s->n_list = 0;
	for (size_t i = 0; i < s->n_cpu; i++) {
		struct vcpu *c = &s->cpu[i];
		uint64_t sp = c->regs.r[s->abi->sp];
		size_t need = s->window;

		c->careful = false;
		snap_clear(&c->snap);
		if (!c->ok)
			continue;
		if (need == 0)
			need = stacks_need(&s->stacks, sp);
		if (need == 0) {
			c->careful = true;
			sure = false;
			need = 2 * SAMPLER_BLOCK - (sp & (SAMPLER_BLOCK - 1));
		}
		want_range(s, i, sp, need, s->window || c->careful);
	}
	return sure;
}

/* More of a stopped CPU's memory: the block around the address. */
static int
fetch(void *arg, struct vcpu *c, uint64_t addr)
{
	struct sampler *s = arg;

	s->n_list = 0;
	want_range(s, (size_t)(c - s->cpu),
	    addr & ~(uint64_t)(SAMPLER_BLOCK - 1), SAMPLER_BLOCK, true);
	return s->ops->read(s->arg, s->list, s->n_list, false);
}

/* What a stack teaches about the next one at its place. */
static void
learn(struct sampler *s, const struct vcpu *c)
{
	uint64_t sp = c->regs.r[s->abi->sp];
	const struct unwind_stack *st = &c->stack;

	if (!c->careful) {
		if (st->end == UNWIND_WINDOW)
			stacks_forget(&s->stacks, sp);
	} else if (vcpu_complete(c) && st->top - sp < WINDOW_MAX) {
		stacks_learn(&s->stacks, sp, st->top);
	}
}

static int
take_all(struct sampler *s, struct unwinder *u)
{
	bool sure;

	s->stopped_at = clock_now();
	if (s->ops->stop(s->arg) != 0)
		return -1;
	sure = plan(s);
	if (s->ops->read(s->arg, s->list, s->n_list, sure && !s->hold) != 0)
		return -1;
	for (size_t i = 0; i < s->n_cpu && !sure; i++)
		if (s->cpu[i].careful)
			vcpu_unwind(&s->cpu[i], u, fetch, s);
	if (!sure && !s->hold && s->ops->go(s->arg) != 0)
		return -1;
	s->stopped = clock_now() - s->stopped_at;
	return 0;
}

int
sampler_take(struct sampler *s, struct unwinder *u)
{
	if (take_all(s, u) != 0)
		return -1;
	for (size_t i = 0; i < s->n_cpu; i++) {
		struct vcpu *c = &s->cpu[i];

		if (!c->ok)
			continue;
		if (!c->careful)
			vcpu_unwind(c, u, NULL, NULL);
		if (s->window == 0)
			learn(s, c);
	}
	return 0;
}
