/* SPDX-License-Identifier: ISC */
/* Reads what the plugin has counted for --coverage, by address. */
#ifndef COUNTS_H
#define COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/cover.h"

struct counts {
	struct cover_insn *insn; /* by address, each once */
	struct cover_jump *jump; /* by target */
	size_t n_insns, n_jumps;
};

/* Reads the plugin's file. Returns false if it is damaged. */
bool counts_load(struct counts *c, int file);
void counts_done(struct counts *c);

/* How often the instruction at an address was executed. */
uint64_t counts_of(const struct counts *c, uint64_t addr);

/* The jumps to an address, *n of them. */
const struct cover_jump *counts_to(
    const struct counts *c, uint64_t target, size_t *n);

/* How often the jump at an address went on, and how often to its target. */
void counts_ways(const struct counts *c, uint64_t addr, uint64_t target,
    uint64_t *on, uint64_t *taken);

#endif
