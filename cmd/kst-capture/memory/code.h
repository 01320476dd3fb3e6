/* SPDX-License-Identifier: ISC */
/*
 * The code of the guest's kernel as it stands in memory, which is not what its
 * file has: kernels patch call sites when they start. Blocks are read once
 * and kept.
 */
#ifndef CODE_H
#define CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CODE_BLOCK = 1024, CODE_BLOCKS = 4096 };

/* Reads a whole block of the guest's memory; -1: not now, or not at all. */
typedef int code_fetch(void *arg, uint64_t addr, uint8_t *to, size_t n);

/* Zero it to begin. */
struct code {
	struct code_block *block; /* CODE_BLOCKS places, found by address */
};

void code_done(struct code *c);

/* n bytes; returns how many could be had, which is all of them or fewer. */
size_t code_bytes(struct code *c, uint64_t addr, uint8_t *to, size_t n,
    code_fetch *fetch, void *arg);

/* Whether they are kept. */
bool code_has(const struct code *c, uint64_t addr, size_t n);

#endif
