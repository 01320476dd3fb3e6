/* SPDX-License-Identifier: ISC */
/*
 * Stacks that no return leads to: a scheduler's, to which threads and handlers
 * jump, and on which the CPU waits. Exceptions there store what they interrupt
 * in the same place each time, also if the last one has never returned.
 */
#include "plugin/idle.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "plugin/block.h"
#include "plugin/flow.h"
#include "trace/spans.h"

/* How far a handler stores below the innermost slot of its stack, and how far
 * from each other handlers of one stack do. */
enum { BELOW = 1024, APART = 4096 };

/* The innermost span of n frames that is known; 0: none is. */
static uint32_t
span_at(const struct shadow *k, size_t n)
{
	while (n > 0 && k->frame[n - 1].span == 0)
		n--;
	return n > 0 ? k->frame[n - 1].span : k->base;
}

void
shadow_begin(struct flow_cpu *c, const struct shadow *parent, bool lost)
{
	const size_t n = parent ? frame_last_trap(parent, parent->n) - 1 : 0;
	struct shadow *k = shadow_new(c, lost);

	k->program = parent ? parent->program : 0;
	for (size_t i = 0; i < n; i++)
		shadow_push(k, parent->frame[i], NULL);
	if (n > 0)
		k->base = parent->base;
	shadow_change(c, k);
}

/* The stack that was left whose innermost slot is next above the place. */
static struct shadow *
nearest(uint64_t place)
{
	struct shadow *k, *to = NULL;
	uint64_t bytes = BELOW;

	for (size_t i = 0; (k = shadow_nth(i)) != NULL; i++) {
		const uint64_t far = frame_known_slot(k, k->n) - place;

		if (k->left != ON_CPU && k->left > 0 && far <= bytes) {
			to = k;
			bytes = far;
		}
	}
	return to;
}

/* Which stack it is whose handler stores there, where n frames of k stay. */
static struct shadow *
stack_of(struct flow_cpu *c, size_t n, uint64_t place)
{
	struct shadow *k = c->stack, *to;

	if (c->idle && c->idle->idle &&
	    (c->idle == k || c->idle->left != ON_CPU) &&
	    place - c->idle->idle + APART <= 2 * APART)
		return c->idle;
	if (k->idle || frame_known_slot(k, n) - place <= BELOW)
		return k;
	to = nearest(place);
	return to ? to : shadow_new(c, false);
}

/* Takes the frames from `from` on, and those from `gone` on go; they stand on
 * the first n of `to`. */
static void
move(struct shadow *k, size_t from, struct shadow *to, size_t n)
{
	const size_t moved = k->n - from;
	struct shadow_frame *e = xmalloc(moved * sizeof *e);
	uint32_t before = span_at(k, from), on;

	memcpy(e, k->frame + from, moved * sizeof *e);
	frames_cut(k, k->gone);
	frames_cut(to, n);
	on = span_at(to, n);
	for (size_t i = 0; i < moved; i++) {
		const uint32_t span = e[i].span;

		e[i].span = 0;
		if (span > 0 && on > 0)
			e[i].span = on = spans_on(span, before, on);
		before = span > 0 ? span : before;
		shadow_push(to, e[i], NULL);
	}
	free(e);
}

void
idle_settle(struct flow_cpu *c, bool idle)
{
	struct shadow *k = c->stack, *to = k;
	const size_t from = k->stands;
	const struct shadow_frame *e = k->frame + from;
	uint64_t place;
	size_t n;

	k->stands = 0;
	if (from >= k->n || !e->trap)
		return;
	place = e->saved == 0 && from + 1 < k->n ? e[1].slot : e->saved;
	if (idle && place > 0)
		to = stack_of(c, k->gone, place);
	n = to == k ? k->gone : to->n;
	if (to->idle && to->idle_n < n)
		n = to->idle_n;
	if (to->base == 0 && k->base > 0)
		to->base = spans_child(
		    SPANS_NONE, SPAN_BASE, block_place(c->stopped, 0));
	move(k, from, to, n);
	if (to != k)
		shadow_change(c, to);
	if (!idle || place == 0)
		return;
	c->idle = to;
	to->idle = place;
	to->idle_n = n;
	c->stopped->idle = true;
	c->stopped->goes = BLOCK_NEVER;
}

void
idle_enter(struct flow_cpu *c)
{
	struct shadow *to = c->idle;

	if (to == NULL || to->idle == 0)
		return;
	if (to != c->stack && to->left == ON_CPU)
		return;
	frames_cut(to, to->idle_n);
	if (to != c->stack)
		shadow_change(c, to);
}
