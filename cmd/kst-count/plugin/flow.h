/* SPDX-License-Identifier: ISC */
/*
 * Private to the plugin: follows the flow of control, which moves CPUs in the
 * calling-context tree.
 */
#ifndef FLOW_H
#define FLOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plugin/shadow.h"
#include "plugin/block.h"
#include "decode/insn.h"
#include "plugin/request.h"

struct flow_cpu {
	uint32_t root; /* its node */
	struct shadow *stack;
	struct block *block;
	/* Instructions that were executed, of all or of this CPU; how many when
	 * the block began, and when flow_goes_on() ends. */
	const uint64_t *counter;
	uint64_t begun, look;
	uint64_t executed; /* instructions since the block began */
	uint32_t node;	   /* the stack that the block is on, */
	uint32_t top;	   /* and the one that it has made of it */
	uint32_t whole;	   /* the first one with all of the block */
	/* The stack with what was executed of the block; 0: nothing was. */
	uint32_t leaf;
	uint64_t slot; /* of the last return address loaded or stored */
	bool touched;  /* in this block */
	bool started;  /* in the code from which on it is followed */
	bool called;   /* the block began by a call, */
	bool jumped;   /* or by a jump that was not an exception */
	/* What was counted while its stack was left, which now goes on. */
	uint64_t waited;
	uint64_t first; /* where it began, and begins again after a reset */
	bool trapped;	/* or by an exception, interrupt or system call */
	/* Where the handler begins if this is one, and the one that has
	 * returned did. */
	uint64_t handler, handled;
	/* The node of code whose last instruction did not execute; or 0. */
	uint32_t failed;
	/* That after whose last instruction an exception came that has now
	 * returned; or 0. */
	uint32_t resumed;
	struct block *stopped; /* that the last exception came after */
	struct shadow *idle;   /* as idle_settle() has found it, or NULL */
};

/* A new CPU. */
void flow_init(struct flow_cpu *c, unsigned number);

/* A return address has been stored, or loaded, at an address of memory. */
void flow_touch(struct flow_cpu *c, bool store, uint64_t addr);

/* Finds out what the CPU has executed of its block. */
void flow_ran(struct flow_cpu *c);

/*
 * The CPU begins a block: finds out what has happened since the block before.
 * `counted` instructions were counted so far, of all CPUs.
 */
void flow_begin(struct flow_cpu *c, struct block *b, const struct request *o,
    bool counting, uint64_t counted);

/*
 * The same for a block that can only follow: all of the one before, which ends
 * in no call, return or exception, has been executed, and leads there. Returns
 * false, with nothing done, if it is not so. The block before must be counted,
 * and have begun the last.
 */
static inline bool
flow_goes_on(struct flow_cpu *c, struct block *b)
{
	struct block *p = c->block;
	const uint64_t now = *c->counter;

	if (now - c->begun != p->goes || now >= c->look ||
	    b->parent != c->top || b->fits ||
	    (b->pc != p->end && b->pc != p->to))
		return false;
	p->added++;
	c->begun = now;
	c->node = c->top;
	c->whole = b->leaf;
	c->block = b;
	c->touched = false;
	return true;
}

/*
 * For --trace, after a block has begun: finds out in which call the CPU is, and
 * notes it if that is wanted.
 */
void flow_note(struct flow_cpu *c, unsigned vcpu, uint64_t time, bool wanted);

/* Whether the block is below a function, or at its beginning. */
bool flow_within(struct flow_cpu *c, uint64_t function);

#endif
