/* SPDX-License-Identifier: ISC */
/* From one block to the next: a call, a return, an exception, or none. */
#include "plugin/flow.h"
#include "plugin/shadow.h"
#include "plugin/block.h"
#include "plugin/idle.h"
#include "plugin/tree.h"
#include "trace/ring.h"
#include "trace/spans.h"

/*
 * Where exceptions lead that were told from jumps. Of those that share a place,
 * the last one is known.
 */
enum { VECTORS = 1024 };

static uint64_t vectors[VECTORS];

static uint64_t *
vector(uint64_t pc)
{
	return &vectors[(pc >> 2 ^ pc >> 9) % VECTORS];
}

static bool
is_vector(uint64_t pc)
{
	return pc && *vector(pc) == pc;
}

/* What handlers have returned to; of those that share a place, the last one. */
static struct {
	uint64_t pc;
	bool on, again;
} handlers[VECTORS];

/*
 * An instruction of x86 that goes on in turns is the next one, too, after an
 * interrupt between two of them: then the last turn was executed. Otherwise it
 * has failed. Handlers of interrupts return to what comes next, those of faults
 * to the instruction.
 */
static void
judge_turn(struct flow_cpu *c)
{
	const uint64_t pc = c->handled, part = tree_part(c->failed);
	const size_t i = (size_t)(vector(pc) - vectors);
	uint32_t n;

	if (handlers[i].pc != pc) {
		handlers[i].pc = pc;
		handlers[i].on = handlers[i].again = false;
	}
	handlers[i].on |= c->resumed != 0;
	if (part == 0)
		return;
	if (!block_of(part, &n)->last.turns)
		handlers[i].again = true;
	else if (handlers[i].on && !handlers[i].again)
		c->failed = 0;
}

/*
 * The block ended before its last instruction. The last one that was counted
 * has failed, or the one after it was interrupted: its return will tell.
 */
static void
take_part(struct flow_cpu *c, uint64_t pc)
{
	const uint64_t next = block_addr(c->block, c->executed);
	const uint64_t at =
	    c->executed > 0 ? block_addr(c->block, c->executed - 1) : next;

	if (pc == next)
		return; /* QEMU has begun another block in the middle */
	if (pc == at) { /* QEMU tries it again */
		c->failed = c->leaf;
		return;
	}
	*vector(pc) = pc;
	shadow_trap(c, at, next, next, c->leaf);
}

/* Whether an instruction uses its slot itself, as on x86. */
static bool
uses_slot(const struct insn *x)
{
	return x->kind != INSN_PLAIN && (x->saves || x->loads);
}

/* An exception after a call: the function begins when it returns. */
static void
trap_call(struct flow_cpu *c, uint64_t pc, uint64_t to)
{
	struct shadow *k = c->stack;
	const size_t n = k->n;

	shadow_trap(c, pc, to, to, 0);
	if (k->n > n)
		k->frame[n].call = true;
}

/* Whether an instruction of the block, at pc, is of the kernel's functions. */
static bool
in_kernel(const struct block *b, uint64_t pc, const struct request *o)
{
	return b->at + (pc - b->pc) - o->low < o->top - o->low;
}

/* All of the block was executed. */
static void
take_whole(struct flow_cpu *c, uint64_t pc, const struct request *o)
{
	struct block *b = c->block;
	const struct insn *x = &b->last;
	const uint64_t end = block_addr(b, b->n),
		       last = block_addr(b, b->n - 1),
		       to = x->direct ? x->target : NOWHERE;
	uint64_t ret, saved;

	switch (x->kind) {
	case INSN_PLAIN:
	case INSN_BRANCH:
		c->jumped = insn_leads_to(x, pc);
		if (pc == end || c->jumped || pc == last)
			return;
		*vector(pc) = pc;
		shadow_trap(c, last, end, x->direct ? to : end, c->leaf);
		return;
	case INSN_JUMP:
		c->jumped = !is_vector(pc);
		if (!c->jumped)
			shadow_trap(c, last, NOWHERE, NOWHERE, 0);
		return;
	case INSN_CALL:
		shadow_call(c->stack, b, end, uses_slot(x) ? c->slot : 0);
		c->called = x->direct ? insn_leads_to(x, pc) : !is_vector(pc);
		if (!c->called && x->direct)
			*vector(pc) = pc;
		if (!c->called)
			trap_call(c, last, to);
		break;
	case INSN_RETURN:
		ret = shadow_return(c, is_vector(pc) ? NOWHERE : pc);
		if (is_vector(pc))
			shadow_trap(c, last, ret, ret, 0);
		break;
	case INSN_TRAP:
		c->called = o->top && !in_kernel(b, last, o);
		shadow_trap(c, last, end, end, 0);
		return;
	case INSN_TRAP_RETURN:
		saved = x->loads ? 0 : c->slot;
		c->slot -= saved;
		c->trapped = is_vector(pc);
		shadow_trap_return(c, is_vector(pc) ? NOWHERE : pc, saved);
		judge_turn(c);
	}
	c->slot = 0;
}

void
flow_init(struct flow_cpu *c, unsigned number)
{
	c->root = tree_child(0, TREE_CPU, number);
	c->stack = shadow_new(c, false);
}

void
flow_touch(struct flow_cpu *c, bool store, uint64_t addr)
{
	struct shadow *k = c->stack;
	const bool used = uses_slot(&c->block->last);

	/* After a call's come those of an exception. */
	if (used && c->touched)
		return;
	c->touched = true;
	if (used || !store)
		c->slot = addr;
	else if (k->n > 0 && k->over == 0) {
		shadow_save(k, addr);
		c->top = shadow_node(k);
	}
}

void
flow_ran(struct flow_cpu *c)
{
	const uint64_t n = *c->counter - c->begun;

	c->executed = n;
	if (n == c->block->n)
		c->leaf = c->whole;
	else if (n > 0)
		c->leaf =
		    tree_child(c->node, TREE_CODE, block_part(c->block, n));
}

/* For --coverage: what is known of earlier code when exceptions return. */
static void
cover_again(const struct flow_cpu *c, uint64_t pc)
{
	const uint64_t failed = c->failed ? tree_part(c->failed) : 0,
		       resumed = c->resumed ? tree_part(c->resumed) : 0;
	struct block *b;
	uint32_t n;

	if (failed) {
		b = block_of(failed, &n);
		block_ran(b, n, -1);
		block_ran(b, n - 1, 1);
	}
	if (resumed && (b = block_of(resumed, &n))->n == n)
		block_went(b, pc);
}

/*
 * The block as one of the program that the stack is of or, if it has other
 * code, of the first one that fits.
 */
static struct block *
of_program(struct shadow *k, struct block *b)
{
	if (k->program == 0 || !(b->fits >> (k->program - 1) & 1))
		shadow_program(k, (unsigned)__builtin_ctzll(b->fits) + 1);
	return block_as(b, k->program);
}

/* If the CPU has changed to another stack: how long that one has waited. */
static void
take_wait(struct flow_cpu *c, struct shadow *before, uint64_t counted)
{
	struct shadow *k = c->stack;

	c->waited = 0;
	if (k == before)
		return;
	before->since = counted + 1;
	if (k->since > 0 && k->since <= counted)
		c->waited = counted + 1 - k->since;
	k->since = 0;
}

/* Whether the exception that stands on others interrupts the kernel's code. */
static bool
is_kernel(const struct shadow *k, const struct request *o)
{
	const uint64_t pc = k->stands < k->n ? k->frame[k->stands].pc : 0;

	return o->top == 0 || (pc >= o->low && pc < o->top);
}

void
flow_begin(struct flow_cpu *c, struct block *b, const struct request *o,
    bool counting, uint64_t counted)
{
	const bool covers = *o->cover && counting && c->block;
	struct shadow *const before = c->stack;

	c->failed = c->resumed = 0;
	if (covers && c->executed == c->block->n)
		block_went(c->block, b->pc);
	c->called = c->jumped = c->trapped = false;
	c->handler = b->pc;
	c->handled = 0;
	if (!c->started)
		c->started = b->at >= o->low && b->at <= o->high;
	else if (c->executed < c->block->n ||
		 (uses_slot(&c->block->last) && !c->touched))
		take_part(c, b->pc);
	else
		take_whole(c, b->pc, o);
	if (c->block == NULL)
		c->first = b->pc;
	else if (c->trapped && b->pc == c->first) {
		shadow_reset(c);
		c->started = b->at >= o->low && b->at <= o->high;
	}
	if (c->stack->stands > 0)
		idle_settle(c, is_kernel(c->stack, o));
	else if (b->idle && !c->called && !c->trapped)
		idle_enter(c);
	take_wait(c, before, counted);
	if (covers)
		cover_again(c, b->pc);
	if (b->fits)
		b = of_program(c->stack, b);
	c->node = c->top = shadow_node(c->stack);
	block_on(b, c->node);
	c->begun = *c->counter;
	c->leaf = 0;
	c->whole = b->leaf;
	c->block = b;
	c->executed = 0;
	c->touched = false;
}

/* The code at the bottom of a stack. */
static uint32_t
base_of(struct flow_cpu *c)
{
	struct shadow *k = c->stack;

	if (k->base == 0 && k->lost)
		k->base = spans_child(SPANS_NONE, SPAN_LOST, 0);
	if (k->base == 0)
		k->base = spans_child(
		    SPANS_NONE, SPAN_BASE, block_place(c->block, 0));
	return k->base;
}

/*
 * A jump to a function that is asked for by its name is a call in the place of
 * the innermost one, unless that is of this function: then it is a loop.
 */
static void
take_tail_call(struct flow_cpu *c)
{
	struct shadow *k = c->stack;
	struct shadow_frame *e = k->n > 0 ? &k->frame[k->n - 1] : NULL;
	uint32_t *const span = e ? &e->span : &k->base, below = SPANS_NONE;
	const uint64_t addr = block_place(c->block, 0);
	size_t n = e ? k->n - 1 : 0;

	if (*span == 0 || k->over > 0 || (e == NULL && k->lost) ||
	    !spans_named(addr))
		return;
	while (n > 0 && k->frame[n - 1].span == 0)
		n--;
	if (e)
		below = n > 0 ? k->frame[n - 1].span : k->base;
	if (!spans_begins(*span, below, addr))
		*span = 0;
}

/* The innermost call; sets *fresh if it has just begun. */
static uint32_t
span_of(struct flow_cpu *c, bool *fresh)
{
	struct shadow *k = c->stack;
	struct shadow_frame *e = k->n > 0 ? &k->frame[k->n - 1] : NULL;
	size_t below = k->n;
	uint32_t parent;

	*fresh = e ? e->span == 0 : k->base == 0;
	if (e == NULL)
		return base_of(c);
	if (!*fresh)
		return e->span;
	while (below > 0 && k->frame[below - 1].span == 0)
		below--;
	parent = below > 0 ? k->frame[below - 1].span : base_of(c);
	e->span = spans_child(parent, frame_marked(e) ? SPAN_TRAP : SPAN_CALL,
	    block_place(c->block, 0));
	*fresh = e->span != parent;
	return e->span;
}

void
flow_note(struct flow_cpu *c, unsigned vcpu, uint64_t time, bool wanted)
{
	struct record r = {.time = time,
	    .stack = c->stack->number,
	    .cpu = vcpu & (TRACE_CPUS - 1)};
	bool fresh;

	if (c->jumped)
		take_tail_call(c);
	r.span = span_of(c, &fresh);
	if (!wanted)
		return;
	r.flags = (uint16_t)((fresh ? RECORD_FRESH : 0) |
			     (c->stack->born ? RECORD_BORN : 0));
	c->stack->born = false;
	ring_note(r);
}

bool
flow_within(struct flow_cpu *c, uint64_t function)
{
	struct shadow *k = c->stack;

	if (k->within == 0 && block_is(c->block, function))
		k->within = k->n + 1;
	return k->within > 0;
}
