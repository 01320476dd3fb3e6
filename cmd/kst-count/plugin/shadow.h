/* SPDX-License-Identifier: ISC */
/* Private to the plugin: shadows of the guest's stacks. */
#ifndef SHADOW_H
#define SHADOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct flow_cpu;

/* An address that is not known; programs begin at 0. */
#define NOWHERE UINT64_MAX

struct shadow_frame {
	/*
	 * Of a call, its return address and its slot, where that is in memory
	 * (0: nowhere yet). Of an exception, the two addresses where the code
	 * may go on (NOWHERE: not known), and the instruction's.
	 */
	uint64_t ret, slot, pc;
	/* Of an exception: where its handler stored the register of returns. */
	uint64_t saved;
	uint32_t node; /* the stack up to this frame */
	uint32_t span; /* the same for --trace; 0: not known yet */
	/*
	 * Of an exception: the code that ends with its instruction, which
	 * perhaps did not execute; or 0.
	 */
	uint32_t leaf;
	bool trap;
	bool call; /* an exception between a call and what it calls */
};

struct shadow {
	struct shadow_frame *frame; /* the last is the innermost */
	size_t n, cap;
	size_t over;   /* calls beyond SHADOW_DEEP that have not returned */
	size_t within; /* n when the function of `in` began, + 1; or 0 */
	uint32_t cpu;  /* the node that it is below */
	uint32_t root; /* the node of no frames */
	uint32_t base; /* the span of no frames; 0: not known yet */
	uint16_t number;
	bool born;     /* it is new to --trace */
	uint64_t left; /* when its CPU changed to another; 0: empty */
	bool lost;     /* its root was not seen */
};

/* A CPU's new stack of no frames, in place of an empty one or the oldest. */
struct shadow *shadow_new(const struct flow_cpu *c, bool lost);

uint32_t shadow_node(const struct shadow *k);

/* A call; slot 0 where the processor does not store the return address. */
void shadow_call(struct shadow *k, uint64_t ret, uint64_t slot);

/* The innermost frame's code stores its return address, or another's. */
void shadow_save(struct shadow *k, uint64_t slot);

/*
 * An exception, interrupt or system call at the instruction at pc. Code would
 * go on at next or other (NOWHERE: not known). `leaf` is the code that
 * ends with the instruction, which perhaps did not execute; or 0.
 */
void shadow_trap(struct flow_cpu *c, uint64_t pc, uint64_t next, uint64_t other,
    uint32_t leaf);

/*
 * A return to pc by an address that was loaded from c->slot (0: that was in a
 * register). With pc NOWHERE an exception came right after it. Returns where it
 * led, or NOWHERE.
 */
uint64_t shadow_return(struct flow_cpu *c, uint64_t pc);

/* A reset: the CPU begins on no frame, and no stack that was left goes on. */
void shadow_reset(struct flow_cpu *c);

/*
 * The same of the return from an exception; the register of returns was loaded
 * from `saved`, or it is 0.
 */
void shadow_trap_return(struct flow_cpu *c, uint64_t pc, uint64_t saved);

#endif
