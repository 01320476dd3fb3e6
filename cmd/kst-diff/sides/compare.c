/* SPDX-License-Identifier: ISC */
#include "sides/compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "profile/table.h"
#include "sides/profile.h"

static const struct profile_stack *
stack_at(struct profile *p, uint32_t stack)
{
	return xitem_zeroed(p->stacks, stack, p->stacks_cap);
}

/*
 * The calls of a stack; of an inlined function, which has none, those of the
 * function that has it. *n becomes the number of its frames; 0: no calls.
 */
static struct profile_stack
calls_of(struct profile *p, const uint32_t *frame, size_t *n)
{
	static const char trap[] = "<signal handler called>";
	const uint32_t end = table_name(p->table, trap, sizeof trap - 1);
	struct profile_stack s = {0};

	for (; *n > 0 && frame[*n - 1] != end; --*n) {
		s = *stack_at(p, table_find(p->table, frame, *n));
		if (s.calls[0] > 0 && s.calls[1] > 0)
			return s;
	}
	*n = 0;
	return s;
}

void
calls_compare(struct profile *p)
{
	const uint32_t n_stacks = table_stacks(p->table);
	uint32_t *frame = NULL;
	size_t cap = 0;

	for (uint32_t i = 0; i < n_stacks; i++) {
		size_t n, n_own;
		const uint32_t *names = table_stack(p->table, i, &n_own);
		const struct profile_stack self = *stack_at(p, i);
		struct profile_stack s;
		struct profile_call *k;
		double cost[2];

		/* a stack that is looked for may move others */
		n = n_own;
		frame = xgrow(frame, n + 1, &cap, sizeof *frame);
		memcpy(frame, names, n * sizeof *frame);
		s = calls_of(p, frame, &n);
		if (n == 0)
			continue;
		p->stacks[i].of = n;
		cost[0] = self.self[0] / s.calls[0] * s.calls[1];
		cost[1] = self.self[1];
		k = xitem_zeroed(p->call, p->first + frame[n - 1], p->call_cap);
		k->compared += n == n_own ? s.calls[1] : 0;
		for (int side = 0; side < 2; side++)
			k->cost[side] += cost[side];
		k = xitem_zeroed(
		    p->call, p->first + frame[n_own - 1], p->call_cap);
		for (int side = 0; n < n_own && side < 2; side++)
			k->jumped[side] += cost[side];
	}
	free(frame);
}
