/* SPDX-License-Identifier: ISC */
#include "plugin/count.h"

/* Of vectors that share a place, the last one is known. */
static uint64_t *
place(struct flow *f, uint64_t pc)
{
	return &f->vector[(pc >> 2 ^ pc >> 9) % VECTORS];
}

static bool
is_vector(struct flow *f, uint64_t pc)
{
	return pc && *place(f, pc) == pc;
}

/* Code that cannot lead to pc has: exceptions are taken there. */
static void
add_vector(struct flow *f, uint64_t pc)
{
	*place(f, pc) = pc;
}

/* The address of instruction i; of n, the end. */
static uint64_t
pc_of(const struct block *b, uint64_t i)
{
	uint64_t pc = b->pc;

	for (uint64_t k = 0; k < i && k < b->n; k++)
		pc += b->size[k];
	return pc;
}

/*
 * The block ended before its last instruction. The last one that was counted
 * has failed, or the one after it was interrupted: its return will tell.
 */
static void
take_part(struct flow *f, struct flow_cpu *c, uint64_t pc)
{
	uint64_t next = pc_of(c->block, c->executed), at = next;

	if (c->executed > 0)
		at = pc_of(c->block, c->executed - 1);
	if (pc == next)
		return; /* QEMU has begun another block in the middle */
	if (pc == at) { /* QEMU tries it again */
		c->failed = c->leaf;
		return;
	}
	add_vector(f, pc);
	shadow_trap(f, c->stack, at, next, next, c->leaf);
}

static void
take_return(struct flow *f, struct flow_cpu *c, uint64_t last, uint64_t pc)
{
	const bool vector = is_vector(f, pc);
	uint64_t ret;

	c->stack =
	    shadow_return(f, c->stack, c->slot, pc, vector ? &ret : NULL);
	if (vector)
		shadow_trap(f, c->stack, last, ret, ret, 0);
	c->slot = 0;
}

static void
take_call(struct flow *f, struct flow_cpu *c, uint64_t last, uint64_t pc)
{
	const struct insn *x = &c->block->last;

	shadow_call(f, c->stack, c->block->end, c->touched ? c->slot : 0);
	c->slot = 0;
	c->called = x->direct ? insn_leads_to(x, pc) : !is_vector(f, pc);
	if (c->called)
		return;
	if (x->direct)
		add_vector(f, pc);
	shadow_trap(f, c->stack, last, x->target, x->target, 0);
}

/* All of the block was executed. */
static void
take_whole(struct flow *f, struct flow_cpu *c, uint64_t pc)
{
	const struct block *b = c->block;
	const struct insn *x = &b->last;
	const uint64_t last = b->end - b->size[b->n - 1];

	switch (x->kind) {
	case INSN_PLAIN:
	case INSN_BRANCH:
		if (pc == b->end || insn_leads_to(x, pc) || pc == last)
			return;
		add_vector(f, pc);
		shadow_trap(f, c->stack, last, b->end,
		    x->direct ? x->target : b->end, c->leaf);
		return;
	case INSN_JUMP:
		if (is_vector(f, pc))
			shadow_trap(f, c->stack, last, 0, 0, 0);
		return;
	case INSN_CALL:
		take_call(f, c, last, pc);
		return;
	case INSN_RETURN:
		take_return(f, c, last, pc);
		return;
	case INSN_TRAP:
		shadow_trap(f, c->stack, last, b->end, b->end, 0);
		return;
	case INSN_TRAP_RETURN:
		c->stack = shadow_trap_return(f, c->stack,
		    x->loads ? c->slot : 0, pc, is_vector(f, pc), &c->failed);
		c->slot = 0;
	}
}

/* A call or return of x86 that did not come to its slot has failed. */
static bool
is_slotless(const struct flow *f, const struct flow_cpu *c)
{
	const struct insn *x = &c->block->last;

	return f->arch == INSN_X86 && !c->touched && (x->saves || x->loads);
}

void
flow_touch(struct flow *f, struct flow_cpu *c, bool store, uint64_t addr)
{
	/* After a call's come those of an exception. */
	if (f->arch == INSN_X86 && c->touched)
		return;
	c->touched = true;
	if (store && f->arch != INSN_X86)
		shadow_saved(f, c->stack, addr);
	else
		c->slot = addr;
}

void
flow_begin(struct flow *f, struct flow_cpu *c, struct block *b)
{
	uint32_t node;

	c->failed = 0;
	c->called = false;
	if (!c->started)
		c->started = b->pc >= f->low && b->pc <= f->high;
	else if (c->executed < c->block->n || is_slotless(f, c))
		take_part(f, c, b->pc);
	else
		take_whole(f, c, b->pc);
	node = shadow_node(c->stack);
	if (b->leaf == 0 || b->parent != node) {
		b->parent = node;
		b->leaf = tree_child(&f->tree, node, TREE_LEAF, b->pc);
	}
	c->leaf = b->leaf;
	c->block = b;
	c->executed = 0;
	c->touched = false;
}
