/* SPDX-License-Identifier: ISC */
/* Shadows of the guest's stacks, found by their return addresses' slots. */
#include "plugin/shadow.h"

#include "base/xalloc.h"
#include "plugin/block.h"
#include "plugin/idle.h"
#include "plugin/tree.h"
#include "plugin/flow.h"

/* Frames of a stack, and stacks; the one that was left first is given up. */
enum { SHADOW_DEEP = 4096, SHADOW_STACKS = 4096 };

/*
 * A PC's firmware leaves a stack each time that it goes over to 16-bit code or
 * back, for ever. Of more than so many stacks, one of equal ones is kept.
 */
enum { SHADOW_FEW = 256 };

/*
 * How many innermost frames a return from another stack may end. In bytes below
 * the innermost call's slot: where code pushes an address to jump to it by a
 * return, and where the processor stores what it interrupts.
 */
enum { NEAR = 4, PUSHED = 256, INTERRUPTED = 4096 };

static struct {
	struct shadow *stack[SHADOW_STACKS];
	size_t n;
	uint64_t clock;
	bool dropped; /* a stack was given up */
} all;

/* The node of a frame, the n-th of its stack. */
static uint32_t
node_of(uint32_t parent, const struct shadow_frame *e, size_t n)
{
	if (n == SHADOW_DEEP)
		return tree_child(parent, TREE_DEEP, 0);
	return tree_child(parent, frame_marked(e) ? TREE_TRAP : TREE_CALL,
	    programs_apart(e->program, frame_marked(e) ? e->pc : e->ret));
}

/* From now on the stack counts below that CPU. */
static void
set_cpu(struct shadow *k, uint32_t cpu)
{
	uint32_t node = k->lost ? tree_child(cpu, TREE_LOST, 0) : cpu;

	k->cpu = cpu;
	k->root = node;
	for (size_t i = 0; i < k->n; i++)
		node = k->frame[i].node = node_of(node, &k->frame[i], i + 1);
}

/* Of many stacks, gives up those that were left and are equal to this one. */
static void
drop_equal(const struct shadow *to)
{
	for (size_t i = 0; all.n > SHADOW_FEW && i < all.n; i++)
		if (all.stack[i]->left != ON_CPU &&
		    frames_equal(all.stack[i], to))
			all.stack[i]->n = all.stack[i]->left = 0;
}

struct shadow *
shadow_new(const struct flow_cpu *c, bool lost)
{
	struct shadow *k = NULL;

	if (c->stack)
		drop_equal(c->stack);
	for (size_t i = 0; i < all.n; i++)
		if (k == NULL || all.stack[i]->left < k->left)
			k = all.stack[i];
	if (k == NULL || (k->left > 0 && all.n < SHADOW_STACKS)) {
		k = all.stack[all.n] = xcalloc(1, sizeof *k);
		k->number = (uint16_t)all.n++;
	}
	all.dropped |= k->n > 0;
	frames_empty(k);
	k->within = 0;
	k->born = true;
	k->left = ON_CPU;
	k->since = 0;
	k->lost = lost || all.dropped;
	k->program = c->stack ? c->stack->program : 0;
	set_cpu(k, c->root);
	return k;
}

void
shadow_change(struct flow_cpu *c, struct shadow *to)
{
	c->stack->left = c->stack->n > 0 || c->stack->idle ? ++all.clock : 0;
	c->stack->stands = 0;
	to->left = ON_CPU;
	if (to->cpu != c->root)
		set_cpu(to, c->root);
	c->stack = to;
}

uint32_t
shadow_node(const struct shadow *k)
{
	return k->n > 0 ? k->frame[k->n - 1].node : k->root;
}

void
shadow_push(struct shadow *k, struct shadow_frame e, struct block *from)
{
	const uint32_t node = shadow_node(k);
	const bool known =
	    from && from->parent == node && k->n + 1 < SHADOW_DEEP;

	if (k->n == SHADOW_DEEP) {
		k->over += !e.trap;
		return;
	}
	e.node = known && from->call ? from->call : node_of(node, &e, k->n + 1);
	if (known)
		from->call = e.node;
	*xpush(k->frame, k->n, k->cap) = e;
}

struct shadow *
shadow_nth(size_t i)
{
	return i < all.n ? all.stack[i] : NULL;
}

/* A call, or one whose slot is known later. */
static void
call(struct shadow *k, struct shadow_frame e, struct block *from)
{
	const uint64_t slot = e.slot;
	size_t left = k->n, trap = 0;

	/* Frames that were left without a return: their slots come again. */
	if (slot && frame_last_slot(k, k->n) <= slot)
		for (size_t i = k->n; i-- > 0;)
			if (k->frame[i].slot == slot && !k->frame[i].trap)
				left = i;
	if (left < k->n)
		trap = frame_last_trap(k, k->n);
	if (trap > left) { /* an exception has come since */
		k->stands = trap - 1;
		k->gone = frame_last_trap(k, left);
		k->gone = k->gone > 0 ? k->gone - 1 : left;
	} else if (left < k->n)
		frames_cut(k, left);
	shadow_push(k, e, from);
}

void
shadow_call(struct shadow *k, struct block *b, uint64_t ret, uint64_t slot)
{
	call(k,
	    (struct shadow_frame){.ret = ret,
		.slot = slot,
		.fits = b->fits,
		.program = b->program},
	    b);
}

void
shadow_program(struct shadow *k, unsigned program)
{
	const uint64_t bit = UINT64_C(1) << (program - 1);
	bool any = false;

	k->program = program;
	for (size_t i = 0; i < k->n; i++) {
		struct shadow_frame *e = &k->frame[i];

		if ((e->fits & bit) && e->program != program) {
			e->program = program;
			any = true;
		}
	}
	if (any)
		set_cpu(k, k->cpu);
}

void
shadow_save(struct shadow *k, uint64_t slot)
{
	struct shadow_frame *e = &k->frame[k->n - 1];

	if (!e->trap) {
		struct shadow_frame again = k->frame[--k->n];

		again.slot = slot;
		call(k, again, NULL);
	} else if (e->saved == 0) {
		e->saved = slot;
		frames_leave(k, slot, INTERRUPTED);
	}
}

void
shadow_trap(struct flow_cpu *c, uint64_t pc, uint64_t next, uint64_t other,
    uint32_t leaf)
{
	shadow_push(c->stack,
	    (struct shadow_frame){.trap = true,
		.system = c->called,
		.pc = pc,
		.handler = c->handler,
		.ret = next,
		.slot = other,
		.fits = c->block->fits,
		.program = c->block->program,
		.leaf = leaf},
	    NULL);
	c->trapped = true;
	c->stopped = c->block;
}

/*
 * The stack left last with a call among its innermost frames whose slot that
 * is; or NULL.
 */
static struct shadow *
find_slot(uint64_t slot, uint64_t pc, size_t *end)
{
	struct shadow *found = NULL;

	for (size_t i = 0; i < all.n; i++) {
		struct shadow *k = all.stack[i];
		size_t n = k->n, low = n > NEAR ? n - NEAR : 0;

		if (k->left == ON_CPU || (found && found->left > k->left))
			continue;
		while (n > low &&
		       (k->frame[n - 1].slot != slot ||
			   !frame_ends(&k->frame[n - 1], slot, pc, false)))
			n--;
		if (n > low) {
			*end = n;
			found = k;
		}
	}
	return found;
}

/*
 * The stack left in an exception that returns to pc, and whose handler stored
 * the register of returns there (0: anywhere); NULL: none, or several.
 */
static struct shadow *
find_trap(uint64_t pc, uint64_t saved, size_t *found)
{
	struct shadow *to = NULL;

	*found = 0;
	for (size_t i = 0; i < all.n; i++) {
		struct shadow *k = all.stack[i];
		size_t n = k->left != ON_CPU ? frame_last_trap(k, k->n) : 0;
		const struct shadow_frame *e = n > 0 ? &k->frame[n - 1] : NULL;

		if (e != NULL && e->ret != NOWHERE && frame_resumes(e, pc) &&
		    (saved == 0 || e->saved == saved)) {
			to = k;
			++*found;
		}
	}
	return *found == 1 ? to : NULL;
}

uint64_t
shadow_return(struct flow_cpu *c, uint64_t pc)
{
	struct shadow *k = c->stack;
	const uint64_t slot = c->slot;
	const bool pushed = frame_is_below(k, k->n, slot, PUSHED);
	size_t n = k->n;

	if (k->over > 0 && slot != frame_last_slot(k, n)) {
		k->over--;
		return NOWHERE;
	}
	while (n > 0 && !frame_ends(&k->frame[n - 1], slot, pc, n == k->n))
		n--;
	if (n == 0 && pushed && k->frame[k->n - 1].ret == pc)
		n = k->n; /* the function has moved its return address */
	/* A jump: by a register, or by an address just pushed. */
	if (n == 0 &&
	    (slot == 0 || pushed || (k->n == 0 && !k->lost && !k->idle)))
		return NOWHERE;
	if (n == 0) {
		k = find_slot(slot, pc, &n);
		if (k == NULL && pc != NOWHERE &&
		    (c->stack->n > 0 || c->stack->idle))
			shadow_change(c, shadow_new(c, false));
		if (k == NULL)
			return NOWHERE;
		shadow_change(c, k);
	}
	frames_cut(k, n - 1);
	return k->frame[n - 1].ret;
}

/*
 * Where tasks share the kernel's stack, the exception of the n-th frame may not
 * be the one that a return ends: where a register is saved tells whose it is.
 */
static struct shadow *
other_task(const struct shadow *k, size_t n, uint64_t pc, uint64_t saved)
{
	size_t found;

	if (saved == 0 || (n > 0 && k->frame[n - 1].saved == saved))
		return NULL;
	return find_trap(pc, saved, &found);
}

void
shadow_reset(struct flow_cpu *c)
{
	for (size_t i = 0; i < all.n; i++)
		if (all.stack[i]->left != ON_CPU)
			*all.stack[i] =
			    (struct shadow){.frame = all.stack[i]->frame,
				.cap = all.stack[i]->cap,
				.number = all.stack[i]->number};
	frames_empty(c->stack);
	c->stack->born = true;
	c->stack->within = 0;
	c->stack->lost = false;
	c->stack->program = 0;
	set_cpu(c->stack, c->root);
}

void
shadow_trap_return(struct flow_cpu *c, uint64_t pc, uint64_t saved)
{
	struct shadow *k = c->stack, *other;
	const uint64_t slot = c->slot;
	const struct shadow_frame *e;
	size_t first = frame_last_trap(k, k->n), n = first, found;

	if (pc == NOWHERE) {
		if (first > 0) {
			frames_cut(k, first);
			k->frame[first - 1].span = 0; /* another one */
		}
		return;
	}
	while (n > 0 && !frame_resumes(&k->frame[n - 1], pc))
		n--;
	other = other_task(k, n, pc, saved);
	if (n == 0 && first < k->n && frame_is_below(k, k->n, slot, PUSHED))
		return; /* a jump by such a return */
	if (n == 0 && frame_is_below(k, first, slot, INTERRUPTED))
		n = first; /* to elsewhere, as a table of the handler tells */
	if (n == 0 || other) {
		k = other ? other : find_trap(pc, 0, &found);
		if (k == NULL && first == 0 && found == 0) {
			/* a program begins, or a thread, which may return */
			if (c->stack->n > 0 || c->stack->idle)
				shadow_begin(c, NULL, false);
			else
				frames_empty(c->stack);
			return;
		}
		if (k == NULL || (first == 0 && other == NULL)) {
			if (first == 0 && c->stack->idle == 0)
				frames_empty(c->stack);
			shadow_begin(c, k, found > 1);
			return;
		}
		n = frame_last_trap(k, k->n);
		shadow_change(c, k);
	}
	e = &k->frame[n - 1];
	c->handled = e->handler;
	if (e->ret != NOWHERE && e->ret != pc &&
	    e->slot != pc) /* it did not execute */
		c->failed = e->leaf;
	else
		c->resumed = e->leaf;
	c->called = e->call;
	frames_cut(k, n - 1);
}
