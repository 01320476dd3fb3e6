/* SPDX-License-Identifier: ISC */
/* Private to the room: reads the registers of a task that was switched out. */
#ifndef SAVED_H
#define SAVED_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/unwind.h"

struct btf;

enum { SAVED_REGS = 13 };

struct saved {
	const struct saved_word *words; /* those that the processor has */
	uint64_t sp;			/* of task_struct */
	uint64_t at[SAVED_REGS];	/* of each word */
	uint64_t size;			/* of what lies on the stack */
};

/*
 * False if the types do not say where registers are, or not for this processor.
 */
bool saved_load(
    struct saved *s, enum unwind_arch arch, const struct btf *types);

/* Where the part of a task ends that has the registers. */
uint64_t saved_end(const struct saved *s);

/* The stack pointer of a task, whose bytes from `low` on are in p. */
uint64_t saved_sp(const struct saved *s, const uint8_t *p, uint64_t low);

/* All registers; `read` reads the stack. False if that could not be read. */
bool saved_regs(const struct saved *s, const uint8_t *p, uint64_t low,
    unwind_read *read, void *arg, struct unwind_regs *regs);

#endif
