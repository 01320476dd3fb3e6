/* SPDX-License-Identifier: ISC */
/* Private to the plugin: the blocks of code. */
#ifndef BLOCK_H
#define BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "live/programs.h"
#include "decode/insn.h"

/* A block of code, as QEMU translates it. */
struct block {
	/* Of one cache line, what flow_goes_on() needs: where it begins and
	 * ends, and where else its last instruction may lead. */
	uint64_t pc, end, to;
	/* Programs that it may be of, as programs_fit() tells. */
	uint64_t fits;
	uint64_t
	    goes; /* its instructions if it may just go on, or BLOCK_NEVER */
	uint64_t added; /* executions of `leaf` that it does not yet have */
	uint32_t parent,
	    leaf;	  /* nodes: the stack it was last on, and with it */
	uint32_t call;	  /* the node of a call from it on that stack, or 0 */
	uint32_t n;	  /* instructions */
	struct insn last; /* its last instruction */
	uint64_t at;	  /* pc as block_place() has it */
	uint32_t number;
	/* The program that it is taken for (0: none), and those for others. */
	unsigned program;
	bool entered; /* a call or exception has led here */
	bool idle;    /* jumps lead here from other stacks */
	bool tail;    /* it may end in a jump that is a call of --trace */
	struct block *other;
	const struct block *first; /* the one that QEMU has */
	/* For --coverage: how often all of it was executed, how often less (by
	 * how many instructions; or NULL), and where its jump went. */
	uint64_t ran, *less, on, taken;
	uint64_t *judged; /* of each instruction, one by one; or NULL */
	uint16_t after[]; /* from pc to the end of each instruction */
};

#define BLOCK_NEVER UINT64_MAX

/* How many instructions a block has at most. */
enum { BLOCK_INSNS = 512 };

/* An empty block of up to n instructions at pc, for block_keep(). */
struct block *block_new(uint64_t pc, size_t n);

/*
 * Takes the block. Returns the equal block that it was given before, or else
 * this one. Blocks are kept for ever.
 */
struct block *block_keep(struct block *b);

/* Where instruction i of a block begins; for i = n, where the block ends. */
static inline uint64_t
block_addr(const struct block *b, uint64_t i)
{
	i = i < b->n ? i : b->n;
	return b->pc + (i > 0 ? b->after[i - 1] : 0);
}

/*
 * The address of instruction i as the file has it, or as programs_apart() makes
 * it.
 */
uint64_t block_place(const struct block *b, uint64_t i);

/* To be called after tree_move(). */
void block_move(void);

/* The block as one of a program that it fits. */
struct block *block_as(struct block *b, unsigned program);

/*
 * Whether it begins at an address of the file, which programs_apart() may have
 * made, or at one that was given in digits.
 */
static inline bool
block_is(const struct block *b, uint64_t addr)
{
	return addr == b->at || (addr == b->pc && b->program != PROGRAMS_OTHER);
}

/* The address of a node of TREE_CODE: the first n instructions of a block. */
static inline uint64_t
block_part(const struct block *b, uint64_t n)
{
	return (uint64_t)b->number << 16 | n;
}

/* The block of such an address, and its n. */
struct block *block_of(uint64_t part, uint32_t *n);

/*
 * Where the function of an address begins: the last place below, and not far,
 * that was entered when block_sort_entries() was last called; or the address.
 */
uint64_t block_function(uint64_t addr);
void block_sort_entries(void);

/* The block is now on a stack of that node. */
void block_on(struct block *b, uint32_t node);

/* Gives the nodes all that blocks have added. */
void block_add_all(void);

/* Adds n executions of the block's first `insns` instructions. */
void block_ran(struct block *b, uint64_t insns, int64_t n);

/*
 * How many instructions were counted one by one, and how many of these have
 * another count in block_ran().
 */
void block_judge(uint64_t *judged, uint64_t *differ);

/* The whole block was executed, and code at pc came next. */
void block_went(struct block *b, uint64_t pc);

/*
 * Writes the file of --coverage at this path; none if the path is "". Returns
 * false, with errno, if that fails.
 */
bool block_write(const char *path);

#endif
