/* SPDX-License-Identifier: ISC */
/* Private to the plugin: shadows of the guest's stacks. */
#ifndef SHADOW_H
#define SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct block;
struct flow_cpu;

/* An unknown address. 0 is a known one: programs begin there. */
#define NOWHERE UINT64_MAX

/* A stack that its CPU has not left. */
#define ON_CPU UINT64_MAX

struct shadow_frame {
	/*
	 * A call has its return address and its slot, where that is in memory
	 * (0: nowhere yet). An exception has the two addresses where the code
	 * may go on (NOWHERE: unknown), and its instruction's address.
	 */
	uint64_t ret, slot, pc;
	/* Of an exception: where its handler begins, and where that stored the
	 * register of returns. */
	uint64_t handler, saved;
	uint64_t fits;	  /* programs that its code may be of, and */
	unsigned program; /* the one that it is taken for; 0: none */
	uint32_t node;	  /* the stack up to this frame */
	uint32_t span;	  /* the same for --trace; 0: not known yet */
	/*
	 * Of an exception: the code that ends with its instruction, which
	 * perhaps did not execute; or 0.
	 */
	uint32_t leaf;
	bool trap;
	bool call;   /* an exception between a call and what it calls */
	bool system; /* a program's system call: the kernel stands on it */
};

struct shadow {
	struct shadow_frame *frame; /* the last is the innermost */
	size_t n, cap;
	size_t over;	  /* calls beyond SHADOW_DEEP that have not returned */
	size_t within;	  /* n when the function of `in` began, + 1; or 0 */
	unsigned program; /* which executes in user mode; 0: not known */
	uint32_t cpu;	  /* the node that it is below */
	uint32_t root;	  /* the node of no frames */
	uint32_t base;	  /* the span of no frames; 0: not known yet */
	uint16_t number;
	bool born;     /* it is new to --trace */
	uint64_t left; /* when its CPU changed to another; 0: empty */
	/* How much was counted by then, + 1; 0: it is new, or on a CPU. */
	uint64_t since;
	bool lost; /* its root was not seen */
	/* Frames from `gone` on were left without a return, and those from
	 * `stands` on do not stand on them; 0: none were. */
	size_t gone, stands;
	/* Where a handler stores what it interrupts here, of a stack that is
	 * entered by jumps; or 0. How many frames it has then. */
	uint64_t idle;
	size_t idle_n;
};

/* What frames tell. */

/* The slot of the innermost call of n frames; 0: there is none. */
static inline uint64_t
frame_last_slot(const struct shadow *k, size_t n)
{
	while (n > 0 && k->frame[n - 1].trap)
		n--;
	return n > 0 ? k->frame[n - 1].slot : 0;
}

/* The slot of the innermost call of n frames that has one; 0: there is none. */
static inline uint64_t
frame_known_slot(const struct shadow *k, size_t n)
{
	while (n > 0 && (k->frame[n - 1].trap || k->frame[n - 1].slot == 0))
		n--;
	return n > 0 ? k->frame[n - 1].slot : 0;
}

/* The innermost exception of n frames, + 1; 0: there is none. */
static inline size_t
frame_last_trap(const struct shadow *k, size_t n)
{
	while (n > 0 && !k->frame[n - 1].trap)
		n--;
	return n;
}

static inline bool
frame_is_below(const struct shadow *k, size_t n, uint64_t slot, uint64_t bytes)
{
	return slot && frame_last_slot(k, n) - slot <= bytes;
}

/*
 * Whether a return to pc (or NOWHERE) ends the frame. For the innermost one
 * the slot is enough: code changes addresses to jump by a return.
 */
static inline bool
frame_ends(
    const struct shadow_frame *e, uint64_t slot, uint64_t pc, bool innermost)
{
	if (e->trap)
		return false;
	if (slot == 0 || e->slot == 0)
		return e->ret == pc || (pc == NOWHERE && innermost);
	return e->slot == slot && (pc == NOWHERE || innermost || e->ret == pc);
}

/*
 * The handler of the innermost frame, an exception, stores its first register
 * at a place where that of an outer one did: what has happened since stood on
 * the same stack, and was left. The outermost one is where that begins.
 */
static inline void
frames_leave(struct shadow *k, uint64_t place, uint64_t bytes)
{
	const size_t last = k->n - 1;

	for (size_t i = last; i-- > 0;) {
		const struct shadow_frame *e = &k->frame[i];

		if (!e->trap && e->slot && place - e->slot > bytes)
			break;
		if (e->trap && e->saved == place) {
			k->gone = i;
			k->stands = last;
		}
	}
}

/* Whether it is told from a call in texts. */
static inline bool
frame_marked(const struct shadow_frame *e)
{
	return e->trap && !e->system;
}

/* Whether an exception returns to pc: to go on, or to try again. */
static inline bool
frame_resumes(const struct shadow_frame *e, uint64_t pc)
{
	return e->trap && (e->ret == NOWHERE || e->ret == pc || e->slot == pc ||
			      e->pc == pc);
}

/* Whether two stacks are calls alone, which are the same in the same places. */
static inline bool
frames_equal(const struct shadow *a, const struct shadow *b)
{
	size_t n = a->n == b->n ? a->n : 0;

	while (n > 0 && a->frame[n - 1].slot == b->frame[n - 1].slot &&
	       a->frame[n - 1].ret == b->frame[n - 1].ret &&
	       !a->frame[n - 1].trap && !b->frame[n - 1].trap)
		n--;
	return a->n > 0 && a->n == b->n && n == 0;
}

/* The first n frames stay. */
static inline void
frames_cut(struct shadow *k, size_t n)
{
	k->n = n;
	k->over = 0;
	if (k->within > n + 1)
		k->within = 0;
}

/* No frames stay, and other code will be at the bottom. */
static inline void
frames_empty(struct shadow *k)
{
	frames_cut(k, 0);
	k->base = 0;
	k->program = 0;
	k->stands = 0;
	k->idle = 0;
}

/* Stack number i; NULL: there are fewer. It may be empty. */
struct shadow *shadow_nth(size_t i);

/* A CPU's new stack of no frames, in place of an empty one or the oldest. */
struct shadow *shadow_new(const struct flow_cpu *c, bool lost);

/* The CPU goes on with that stack. */
void shadow_change(struct flow_cpu *c, struct shadow *to);

uint32_t shadow_node(const struct shadow *k);

/*
 * A call at the end of a block; slot 0 where the processor does not store the
 * return address.
 */
void shadow_call(
    struct shadow *k, struct block *b, uint64_t ret, uint64_t slot);

/*
 * The stack is that of a program: what was taken for another one, and may be of
 * this, is of this.
 */
void shadow_program(struct shadow *k, unsigned program);

/*
 * The code of the innermost frame stores a return address, its own or
 * another's.
 */
void shadow_save(struct shadow *k, uint64_t slot);

/*
 * An exception, interrupt or system call at the instruction at pc. Code would
 * go on at next or other (NOWHERE: unknown). `leaf` is the code that ends with
 * that instruction, which perhaps did not execute; or 0. c->called says that a
 * program's system call is a call: it has no mark of exceptions.
 */
void shadow_trap(struct flow_cpu *c, uint64_t pc, uint64_t next, uint64_t other,
    uint32_t leaf);

/*
 * A frame, whose node is set here; a deep one is counted at most. `from` is the
 * block that calls, if it does so by that frame; or NULL.
 */
void shadow_push(struct shadow *k, struct shadow_frame e, struct block *from);

/*
 * A return to pc, by an address that was loaded from c->slot (0: it was in a
 * register). pc NOWHERE: an exception came right after the return. Returns
 * where the return led, or NOWHERE.
 */
uint64_t shadow_return(struct flow_cpu *c, uint64_t pc);

/* A reset: the CPU begins on no frame, and no stack that was left goes on. */
void shadow_reset(struct flow_cpu *c);

/*
 * As shadow_return(), for the return from an exception. The register of returns
 * was loaded from `saved`, unless that is 0.
 */
void shadow_trap_return(struct flow_cpu *c, uint64_t pc, uint64_t saved);

#endif
