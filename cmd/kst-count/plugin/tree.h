/* SPDX-License-Identifier: ISC */
/* Private to the plugin: the calling-context tree. */
#ifndef TREE_H
#define TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/*
 * A node of the tree is a stack; its parent is the stack without the last
 * frame. Node 0 is the root. Stacks beyond TREE_MAX count as one.
 */
enum { TREE_MAX = (1 << 24) - 256 };

enum tree_kind {
	TREE_CPU = 1, /* addr: its number */
	TREE_CALL,    /* a return address */
	TREE_TRAP,    /* the address at which an exception was taken */
	TREE_CODE,    /* the first instructions of a block: block_part() */
	TREE_LOST,    /* callers that could not be followed */
	TREE_DEEP,    /* frames, or stacks, beyond the limits; addr: the kind */
	TREE_AT	      /* an instruction; + n: with a count of another thing */
};

/* The child of a node, which is made if it does not exist. */
uint32_t tree_child(uint32_t parent, unsigned kind, uint64_t addr);

/*
 * From now on, what the kernel's file has from low to below high is also where
 * `by` is added, and is written as the file has it.
 */
void tree_move(uint64_t low, uint64_t high, uint64_t by);

/* An address as the kernel's file has it; another one as it is. */
uint64_t tree_in_file(uint64_t addr);

/* How many nodes there are. */
size_t tree_size(void);

/*
 * Adds to a node's count. For TREE_CODE, this is how often the code was
 * executed.
 */
void tree_add(uint32_t node, uint64_t n);

/*
 * The code of a TREE_CODE node, for block_part(); 0: the node has another kind.
 */
uint64_t tree_part(uint32_t node);

/* The last instruction of a node of TREE_CODE was once counted wrongly. */
void tree_take_back(uint32_t node);

/*
 * Writes a node's first frame and its innermost ones, at most max, with a frame
 * `...` for what lacks between them.
 */
void tree_put_stack(uint32_t node, size_t max, FILE *f);

/*
 * Sums of what was written: different stacks, all counts, and the counts below
 * TREE_LOST: without any caller, and with callers of which the outermost are
 * not known.
 */
struct tree_sums {
	uint64_t stacks, all, lost, rootless;
};

/*
 * Writes nodes of a kind with a count as folded text, `prefix` in front of
 * each, and sets their counts to 0. Each instruction has a line, or if not
 * `apart`, each block_function() of a stack. Adds to the sums.
 */
void tree_write(unsigned kind, bool apart, const char *prefix, FILE *f,
    struct tree_sums *sums);

#endif
