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
	TREE_AT,      /* an instruction */
	TREE_CODE,    /* the first instructions of a block: block_part() */
	TREE_LOST,    /* callers that could not be followed */
	TREE_DEEP     /* frames, or stacks, beyond the limits */
};

/* The child of a node; it is made if it is not there. */
uint32_t tree_child(uint32_t parent, enum tree_kind kind, uint64_t addr);

/* Adds to a node's count: of TREE_CODE, how often the code was executed. */
void tree_add(uint32_t node, uint64_t n);

/* The last instruction of a node of TREE_CODE was once counted wrongly. */
void tree_take_back(uint32_t node);

/*
 * Writes nodes with a count as folded text, `prefix` in front of each, and sets
 * their counts to 0. Code is a line for each instruction.
 */
void tree_write(const char *prefix, FILE *f);

/* A block of code, as QEMU translates it. */
struct block {
	uint64_t pc;
	struct insn last; /* its last instruction */
	uint32_t number;
	uint32_t n; /* instructions */
	uint32_t parent,
	    leaf;	  /* nodes: the stack it was last on, and with it */
	uint16_t after[]; /* from pc to the end of each instruction */
};

/* Blocks have at most that many instructions. */
enum { BLOCK_INSNS = 512 };

/* An empty block of up to n instructions at pc, for block_keep(). */
struct block *block_new(uint64_t pc, size_t n);

/*
 * Takes the block, and returns the same one that it was given before, or this
 * one. Blocks are kept for ever.
 */
struct block *block_keep(struct block *b);

/* Where instruction i of a block begins; of n, the end. */
static inline uint64_t
block_addr(const struct block *b, uint64_t i)
{
	i = i < b->n ? i : b->n;
	return b->pc + (i > 0 ? b->after[i - 1] : 0);
}

/* What a node of TREE_CODE has as its address: n instructions of a block. */
static inline uint64_t
block_part(const struct block *b, uint64_t n)
{
	return (uint64_t)b->number << 16 | n;
}

/* The block of such a part, and its n. */
const struct block *block_of(uint64_t part, uint32_t *n);

struct shadow_frame {
	/*
	 * Of a call, its return address and its slot, where that is in memory
	 * (0: nowhere yet). Of an exception, the two addresses where the code
	 * may go on (0: not known), and the instruction's.
	 */
	uint64_t ret, slot, pc;
	uint32_t node; /* the stack up to this frame */
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
	uint64_t left; /* when its CPU changed to another; 0: empty */
	bool lost;     /* its root was not seen */
};

struct flow_cpu {
	uint32_t root; /* its node */
	struct shadow *stack;
	struct block *block;
	uint64_t executed; /* instructions since the block began */
	uint32_t node;	   /* the stack that the block is on, */
	uint32_t whole;	   /* and with all of the block */
	/* The stack with what was executed of the block; 0: nothing was. */
	uint32_t leaf;
	uint64_t slot; /* of the last return address loaded or stored */
	bool touched;  /* in this block */
	bool started;  /* in the code from which on it is followed */
	bool called;   /* the block began by a call */
	/* The node of code whose last instruction did not execute; or 0. */
	uint32_t failed;
};

/* A CPU's new stack of no frames, in place of an empty one or the oldest. */
struct shadow *shadow_new(const struct flow_cpu *c, bool lost);

uint32_t shadow_node(const struct shadow *k);

/* A call; slot 0 where the processor does not store the return address. */
void shadow_call(struct shadow *k, uint64_t ret, uint64_t slot);

/*
 * An exception, interrupt or system call at the instruction at pc. Code would
 * go on at next or other; 0: it is not known where. `leaf` is the code that
 * ends with the instruction, which perhaps did not execute; or 0.
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

/* The CPU has executed n instructions of its block. */
void flow_ran(struct flow_cpu *c, uint64_t n);

/* The CPU begins a block: what has happened since the one before. */
void flow_begin(struct flow_cpu *c, struct block *b, const struct request *o);

/*
 * Whether what the guest has written to its log, the file at `path`, since the
 * last call has a text.
 */
bool log_has(const char *path, const char *text);

/* Whether the block is below a function, or begins it. */
bool flow_within(struct flow_cpu *c, uint64_t function);

#endif
