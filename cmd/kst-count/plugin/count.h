/* SPDX-License-Identifier: ISC */
/*
 * Private to the plugin: the calling-context tree, and the flow of control that
 * moves CPUs in it.
 */
#ifndef COUNT_H
#define COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "plugin/insn.h"
#include "plugin/request.h"

/*
 * A node of the tree is a stack, its parent the stack without the last frame.
 * Node 0 is the root. Beyond TREE_MAX, stacks count as one.
 */
enum { TREE_MAX = 1 << 24 };

enum tree_kind {
	TREE_CPU = 1, /* addr: its number */
	TREE_CALL,    /* a return address */
	TREE_TRAP,    /* the address at which an exception was taken */
	TREE_LEAF,    /* where a block of code begins */
	TREE_LOST,    /* callers that could not be followed */
	TREE_DEEP     /* frames, or stacks, beyond the limits */
};

/* The child of a node; it is made if it is not there. */
uint32_t tree_child(uint32_t parent, enum tree_kind kind, uint64_t addr);

/* Adds to a node's count. */
void tree_add(uint32_t node, uint64_t n);

/*
 * Writes nodes with a count as folded text, `prefix` in front of each, and sets
 * their counts to 0.
 */
void tree_write(const char *prefix, FILE *f);

/* A block of code, as QEMU translates it. */
struct block {
	struct block *next; /* of all */
	uint64_t pc;
	struct insn last; /* its last instruction */
	uint32_t n;	  /* instructions */
	uint32_t parent,
	    leaf;	  /* nodes: the stack it was last on, and with it */
	uint16_t after[]; /* from pc to the end of each instruction */
};

struct shadow_frame {
	/*
	 * Of a call, its return address and its slot, where that is in memory
	 * (0: nowhere yet). Of an exception, the two addresses where the code
	 * may go on (0: not known), and the instruction's.
	 */
	uint64_t ret, slot, pc;
	uint32_t node; /* the stack up to this frame */
	/*
	 * Of an exception: what counted its instruction, which perhaps did not
	 * execute; or 0.
	 */
	uint32_t leaf;
	bool trap;
};

struct shadow {
	struct shadow_frame *frame; /* the last is the innermost */
	size_t n, cap;
	size_t over;   /* calls beyond SHADOW_DEEP that have not returned */
	size_t within; /* n when the function of `in` began, + 1; or 0 */
	uint32_t cpu;  /* the node that it is below */
	uint32_t root; /* the node of no frames */
	uint64_t left; /* when its CPU changed to another; 0: empty */
	bool lost;     /* its root was not seen */
};

struct flow_cpu {
	uint32_t root; /* its node */
	struct shadow *stack;
	struct block *block;
	uint64_t executed; /* instructions since the block began */
	uint32_t leaf;	   /* the stack with the block's address */
	uint64_t slot;	   /* of the last return address loaded or stored */
	bool touched;	   /* in this block */
	bool started;	   /* in the code from which on it is followed */
	bool called;	   /* the block began by a call */
	/* A node that has counted an instruction that did not execute; or 0. */
	uint32_t failed;
};

/* A CPU's new stack of no frames, in place of an empty one or the oldest. */
struct shadow *shadow_new(const struct flow_cpu *c, bool lost);

uint32_t shadow_node(const struct shadow *k);

/* A call; slot 0 where the processor does not store the return address. */
void shadow_call(struct shadow *k, uint64_t ret, uint64_t slot);

/*
 * An exception, interrupt or system call at the instruction at pc. Code would
 * go on at next or other; 0: it is not known where. `leaf` counted the
 * instruction, which perhaps did not execute; or 0.
 */
void shadow_trap(struct flow_cpu *c, uint64_t pc, uint64_t next, uint64_t other,
    uint32_t leaf);

/*
 * A return to pc by an address that was loaded from c->slot (0: that was in a
 * register). With pc 0 an exception came right after it. Returns where it led;
 * 0: that is not known.
 */
uint64_t shadow_return(struct flow_cpu *c, uint64_t pc);

/* The same of the return from an exception. */
void shadow_trap_return(struct flow_cpu *c, uint64_t pc);

/* A new CPU. */
void flow_init(struct flow_cpu *c, unsigned number);

/* A return address has been stored, or loaded, at an address of memory. */
void flow_touch(struct flow_cpu *c, bool store, uint64_t addr);

/* The CPU begins a block: what has happened since the one before. */
void flow_begin(struct flow_cpu *c, struct block *b, const struct request *o);

/* Whether the block is below a function, or begins it. */
bool flow_within(struct flow_cpu *c, uint64_t function);

#endif
