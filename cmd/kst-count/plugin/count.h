/* SPDX-License-Identifier: ISC */
/*
 * Private to the plugin: the calling-context tree, the shadow stacks, the flow
 * of control that moves them, and when to count.
 */
#ifndef COUNT_H
#define COUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "plugin/insn.h"

/* A line on standard error, `kst-count: TEXT`. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Memory; without any the plugin says so, and ends QEMU and its count. */
void *mem_zeroed(size_t n, size_t size);
void *mem_grow(void *v, size_t n, size_t *cap, size_t size);

/*
 * A node of the tree is a stack, its parent the stack without the last frame.
 * Node 0 is the root. Beyond TREE_MAX, stacks count as one.
 */
enum { TREE_MAX = 1 << 24 };

enum tree_kind {
	TREE_CPU,  /* addr: its number */
	TREE_CALL, /* a return address */
	TREE_TRAP, /* the address at which an exception was taken */
	TREE_LEAF, /* where a block of code begins */
	TREE_LOST, /* callers that could not be followed */
	TREE_DEEP  /* frames, or stacks, beyond the limits */
};

struct tree {
	struct tree_node {
		uint64_t addr, count;
		uint32_t parent, kind;
	} * node;
	uint32_t *slot; /* a hash table of numbers; 0: free */
	size_t n, cap, slots;
};

void tree_init(struct tree *t);

/* The child of a node; it is made if it is not there. */
uint32_t tree_child(
    struct tree *t, uint32_t parent, enum tree_kind kind, uint64_t addr);

/*
 * Writes nodes with a count as folded text, `prefix` in front of each, and sets
 * their counts to 0.
 */
void tree_write(struct tree *t, const char *prefix, FILE *f);

/* A block of code, as QEMU translates it. */
struct block {
	struct block *next; /* of all */
	uint64_t pc, end;
	struct insn last; /* its last instruction */
	uint32_t n;	  /* instructions */
	uint32_t parent,
	    leaf;	/* nodes: the stack it was last on, and with it */
	uint8_t size[]; /* of each instruction */
};

/* Frames of a stack, and stacks; the one that was left first is given up. */
enum { SHADOW_DEEP = 4096, SHADOW_STACKS = 4096 };

struct shadow_frame {
	/*
	 * Of a call, its return address and its slot, where that is in memory
	 * (0: nowhere yet); of an exception, where the code would go on.
	 */
	uint64_t ret, slot;
	uint32_t node; /* the stack up to this frame */
	uint32_t leaf; /* of an exception: see shadow_trap() */
	bool trap;
};

/* What calls, returns and exceptions make of one of the guest's stacks. */
struct shadow {
	struct shadow_frame *frame; /* the last is the innermost */
	size_t n, cap;
	size_t over;   /* calls beyond SHADOW_DEEP that have not returned */
	size_t within; /* n when the function of `in` began, + 1; or 0 */
	uint32_t root; /* the node of no frames */
	uint64_t left; /* when its CPU changed to another; 0: one is on it */
};

/* Where exceptions lead that were told from jumps. */
enum { VECTORS = 1024 };

struct flow {
	enum insn_arch arch;
	uint64_t low, high; /* a CPU is followed from this code on */
	struct tree tree;
	struct shadow *stack[SHADOW_STACKS];
	size_t n_stacks;
	uint64_t clock;
	bool dropped; /* a stack was given up */
	uint64_t vector[VECTORS];
};

/* A CPU's new stack of no frames. */
struct shadow *shadow_new(struct flow *f, uint32_t root);

uint32_t shadow_node(const struct shadow *k);

/* A call; slot 0 where the processor does not store the return address. */
void shadow_call(struct flow *f, struct shadow *k, uint64_t ret, uint64_t slot);

/* Code has stored the innermost call's return address. */
void shadow_saved(struct flow *f, struct shadow *k, uint64_t slot);

/*
 * A return by an address that was loaded from slot (0: that was in a register).
 * It leads to pc; or, if `ret` is not NULL, an exception came right after it,
 * and *ret gets where it led, 0 if that is not known. Returns the stack that it
 * leads to: k, another one, or a new one.
 */
struct shadow *shadow_return(struct flow *f, struct shadow *k, uint64_t slot,
    uint64_t pc, uint64_t *ret);

/*
 * An exception, interrupt or system call at the instruction at pc. Code would
 * go on at next or other; 0: it is not known where. `leaf` counted the
 * instruction, which perhaps did not execute; or 0.
 */
void shadow_trap(struct flow *f, struct shadow *k, uint64_t pc, uint64_t next,
    uint64_t other, uint32_t leaf);

/*
 * The return from an exception to pc, by what the processor had stored at slot
 * (0: nothing). With `again` the next exception came right after it. *leaf gets
 * that of shadow_trap() if the instruction did not execute, else 0.
 */
struct shadow *shadow_trap_return(struct flow *f, struct shadow *k,
    uint64_t slot, uint64_t pc, bool again, uint32_t *leaf);

struct flow_cpu {
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

/* A return address has been stored, or loaded, at an address of memory. */
void flow_touch(struct flow *f, struct flow_cpu *c, bool store, uint64_t addr);

/* The CPU begins a block: what has happened since the one before. */
void flow_begin(struct flow *f, struct flow_cpu *c, struct block *b);

/* A moment: a block that begins at an address, or a line with a text in it. */
struct moment {
	bool given;
	uint64_t addr;
	const char *line; /* NULL: an address */
};

enum count_what {
	COUNT_INSNS,
	COUNT_CALLS,
	COUNT_READS,
	COUNT_WRITES,
	COUNT_BLOCKS
};

extern const char *const count_units[];

/* The words that the command hands on. */
struct options {
	enum count_what what;
	const char *out,
	    *serial; /* the result; the log of the guest, or NULL */
	struct moment from, until;
	uint64_t in; /* only below this function; 0: everywhere */
	uint64_t low, high, limit, every;
};

/* Takes `key=value`, whose memory stays theirs. -1 after a message. */
int options_take(struct options *o, int argc, char **argv);

struct range {
	const struct options *o;
	bool begun, ended;
	int log;	 /* a descriptor; -1: not open */
	uint64_t blocks; /* that have begun */
	char line[4096];
	size_t len;
};

/* A block begins at pc: whether it is in the range. */
bool range_look(struct range *r, uint64_t pc);

#endif
