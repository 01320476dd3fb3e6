/* SPDX-License-Identifier: ISC */
#include <stdlib.h>

#include "plugin/count.h"

/*
 * How many innermost frames a return from another stack may end. In bytes below
 * the innermost call's slot: where code pushes an address to jump to it by a
 * return, and where the processor stores what it interrupts.
 */
enum { NEAR = 4, PUSHED = 256, INTERRUPTED = 4096 };

static void
drop_oldest(struct flow *f)
{
	size_t oldest = SHADOW_STACKS;

	for (size_t i = 0; i < f->n_stacks; i++)
		if (f->stack[i]->left &&
		    (oldest == SHADOW_STACKS ||
			f->stack[i]->left < f->stack[oldest]->left))
			oldest = i;
	free(f->stack[oldest]->frame);
	free(f->stack[oldest]);
	f->stack[oldest] = f->stack[--f->n_stacks];
	f->dropped = true;
}

struct shadow *
shadow_new(struct flow *f, uint32_t root)
{
	struct shadow *k = mem_zeroed(1, sizeof *k);

	if (f->n_stacks == SHADOW_STACKS)
		drop_oldest(f);
	k->root = root;
	f->stack[f->n_stacks++] = k;
	return k;
}

uint32_t
shadow_node(const struct shadow *k)
{
	return k->n > 0 ? k->frame[k->n - 1].node : k->root;
}

/* The first n frames stay. */
static struct shadow *
cut(struct shadow *k, size_t n)
{
	k->n = n;
	k->over = 0;
	if (k->within > n + 1)
		k->within = 0;
	return k;
}

static struct shadow_frame *
push(struct flow *f, struct shadow *k, enum tree_kind kind, uint64_t addr)
{
	uint32_t node = shadow_node(k);
	struct shadow_frame *top;

	if (k->n + 1 == SHADOW_DEEP)
		node = tree_child(&f->tree, node, TREE_DEEP, 0);
	else
		node = tree_child(&f->tree, node, kind, addr);
	k->frame = mem_grow(k->frame, k->n + 1, &k->cap, sizeof *k->frame);
	top = &k->frame[k->n++];
	*top = (struct shadow_frame){.node = node, .trap = kind == TREE_TRAP};
	return top;
}

/* Of the innermost call of n frames; 0: there is none. */
static uint64_t
last_slot(const struct shadow *k, size_t n)
{
	while (n > 0 && k->frame[n - 1].trap)
		n--;
	return n > 0 ? k->frame[n - 1].slot : 0;
}

/* The innermost exception of n frames, + 1; 0: there is none. */
static size_t
last_trap(const struct shadow *k, size_t n)
{
	while (n > 0 && !k->frame[n - 1].trap)
		n--;
	return n;
}

/* Frames that were left without a return: their slots are used again. */
static void
cut_dead(struct shadow *k, uint64_t slot)
{
	if (slot && last_slot(k, k->n) <= slot)
		for (size_t i = k->n; i-- > 0;)
			if (k->frame[i].slot == slot && !k->frame[i].trap)
				cut(k, i);
}

void
shadow_call(struct flow *f, struct shadow *k, uint64_t ret, uint64_t slot)
{
	struct shadow_frame *top;

	cut_dead(k, slot);
	if (k->n >= SHADOW_DEEP) {
		k->over++;
		return;
	}
	top = push(f, k, TREE_CALL, ret);
	top->ret = ret;
	top->slot = slot;
}

void
shadow_saved(struct flow *f, struct shadow *k, uint64_t slot)
{
	uint64_t ret;

	if (k->n == 0 || k->over > 0 || k->frame[k->n - 1].trap)
		return;
	ret = k->frame[--k->n].ret;
	shadow_call(f, k, ret, slot);
}

static struct shadow *
change(struct flow *f, struct shadow *from, struct shadow *to)
{
	from->left = ++f->clock;
	to->left = 0;
	return to;
}

static struct shadow *
begin(struct flow *f, struct shadow *k, bool lost)
{
	uint32_t cpu = k->root;

	while (f->tree.node[cpu].parent)
		cpu = f->tree.node[cpu].parent;
	if (lost || f->dropped)
		cpu = tree_child(&f->tree, cpu, TREE_LOST, 0);
	return change(f, k, shadow_new(f, cpu));
}

/*
 * Whether a return to pc (0: not known) ends the frame. For the innermost one
 * the slot is enough: code changes addresses to jump by a return.
 */
static bool
ends(const struct shadow_frame *e, uint64_t slot, uint64_t pc, bool innermost)
{
	if (e->trap)
		return false;
	if (slot == 0 || e->slot == 0)
		return e->ret == pc || (pc == 0 && innermost);
	return e->slot == slot && (pc == 0 || innermost || e->ret == pc);
}

/* The stack left last with such a frame among its innermost ones; or NULL. */
static struct shadow *
find_slot(const struct flow *f, uint64_t slot, uint64_t pc, size_t *frame)
{
	struct shadow *found = NULL;

	for (size_t i = 0; i < f->n_stacks; i++) {
		struct shadow *k = f->stack[i];

		if (k->left == 0 || (found && found->left > k->left))
			continue;
		for (size_t n = k->n; n-- > 0 && n + NEAR >= k->n;)
			if (k->frame[n].slot == slot &&
			    ends(&k->frame[n], slot, pc, false)) {
				*frame = n;
				found = k;
				break;
			}
	}
	return found;
}

static bool
is_below(const struct shadow *k, size_t n, uint64_t slot, uint64_t bytes)
{
	return slot && last_slot(k, n) - slot <= bytes;
}

struct shadow *
shadow_return(
    struct flow *f, struct shadow *k, uint64_t slot, uint64_t pc, uint64_t *ret)
{
	struct shadow *to = k;
	size_t n = k->n;

	if (ret)
		*ret = pc = 0;
	if (k->over > 0 && slot != last_slot(k, k->n)) {
		k->over--;
		return k;
	}
	while (n > 0 && !ends(&k->frame[n - 1], slot, pc, n == k->n))
		n--;
	if (n == 0 && slot && k->n > 0 && k->frame[k->n - 1].ret == pc &&
	    is_below(k, k->n, slot, PUSHED))
		n = k->n; /* the function has moved its return address */
	/* A jump: by a register, or by an address just pushed. */
	if (n == 0 &&
	    (slot == 0 || k->n == 0 || is_below(k, k->n, slot, PUSHED)))
		return k;
	if (n == 0) {
		to = find_slot(f, slot, pc, &n);
		if (to == NULL)
			return ret ? k : begin(f, k, false);
		change(f, k, to);
		n++;
	}
	if (ret)
		*ret = to->frame[n - 1].ret;
	return cut(to, n - 1);
}

void
shadow_trap(struct flow *f, struct shadow *k, uint64_t pc, uint64_t next,
    uint64_t other, uint32_t leaf)
{
	struct shadow_frame *top;

	if (k->n >= SHADOW_DEEP)
		return;
	top = push(f, k, TREE_TRAP, pc);
	top->leaf = leaf;
	top->ret = next;
	top->slot = other;
}

/* Whether an exception returns to pc: to try its instruction again, or to go
 * on. */
enum { NOT_THERE, AGAIN, ON };

static int
returns(const struct flow *f, const struct shadow_frame *e, uint64_t pc)
{
	if (e->ret == 0 || e->ret == pc || e->slot == pc)
		return ON;
	return f->tree.node[e->node].addr == pc ? AGAIN : NOT_THERE;
}

/* The stack left in an exception that returns to pc; NULL: none, or several. */
static struct shadow *
find_trap(const struct flow *f, uint64_t pc, size_t *found)
{
	struct shadow *to = NULL;

	*found = 0;
	for (size_t i = 0; i < f->n_stacks; i++) {
		struct shadow *k = f->stack[i];
		size_t n = k->left ? last_trap(k, k->n) : 0;

		if (n > 0 && k->frame[n - 1].ret &&
		    returns(f, &k->frame[n - 1], pc) != NOT_THERE) {
			to = k;
			++*found;
		}
	}
	return *found == 1 ? to : NULL;
}

struct shadow *
shadow_trap_return(struct flow *f, struct shadow *k, uint64_t slot, uint64_t pc,
    bool again, uint32_t *leaf)
{
	size_t first = last_trap(k, k->n), n = first, found;
	struct shadow *to = k;

	*leaf = 0;
	if (again)
		return first > 0 ? cut(k, first) : k;
	while (n > 0 && returns(f, &k->frame[n - 1], pc) == NOT_THERE)
		n = last_trap(k, n - 1);
	if (n == 0 && is_below(k, k->n, slot, PUSHED))
		return k; /* a jump by such a return */
	if (n == 0 && first > 0 && is_below(k, first, slot, INTERRUPTED)) {
		/* To elsewhere in the function, as a table of it tells. */
		*leaf = k->frame[first - 1].leaf;
		return cut(k, first - 1);
	}
	if (n == 0) {
		to = find_trap(f, pc, &found);
		if (first == 0 && found == 0) /* a program begins */
			return cut(k, 0);
		if (first == 0 || to == NULL)
			return begin(f, k, true);
		n = last_trap(to, to->n);
		change(f, k, to);
	}
	if (returns(f, &to->frame[n - 1], pc) == AGAIN)
		*leaf = to->frame[n - 1].leaf;
	return cut(to, n - 1);
}
