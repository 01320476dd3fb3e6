/* SPDX-License-Identifier: ISC */
/*
 * What an interrupt's entry has saved, told by its code: which register of
 * what was interrupted is where on the stack. For kernels whose assembler has
 * no call frame information, of aarch64 and riscv64.
 */
#ifndef SAVED_H
#define SAVED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "unwind/unwind.h"

/* The longest way from a function's start to where it calls. */
enum { SAVED_CODE = 1024 };

struct saved {
	/* From the stack pointer, after the code; -1: not there. */
	int32_t at[UNWIND_REGS], status;
	int pc_in, status_in; /* registers that have them; -1: none */
	uint64_t own;	/* a bit for each register that still has its value */
	int32_t moved;	/* how far the code has moved sp down */
	int32_t below;	/* how far it will say that it is; -1: it does not */
	bool entry;	/* it saved a program counter that is not its own */
	bool exception; /* the function is a part of taking an exception, */
	bool leaves;	/* or of returning from it */
	bool switched;	/* the stack pointer was set to another stack's */
};

/*
 * Reads `before` bytes of code from a function's start, and those up to n for
 * what comes after.
 */
void saved_scan(enum unwind_arch arch, const uint8_t *code, size_t before,
    size_t n, struct saved *s);

/*
 * The same for code that ends with an exception's return, read from where the
 * CPU is: what it will still load from the stack, and which registers it has
 * done. Returns false when the n bytes do not come to the return.
 */
bool saved_leaving(
    enum unwind_arch arch, const uint8_t *code, size_t n, struct saved *s);

/* What a status word, of x86_64 cs, says of where the processor came from. */
enum unwind_mode saved_mode(enum unwind_arch arch, uint64_t status);

/*
 * Replaces the registers by those that were saved; *known has a bit for each
 * that can be relied on. `now`: the CPU is at this place of the code, so what
 * is not saved yet is in the processor, if the entry's code has left it there.
 * Returns -1 for a word that cannot be read, at *bad.
 */
int saved_restore(enum unwind_arch arch, const struct saved *s, bool now,
    struct unwind_regs *regs, uint64_t *known, unwind_read *read, void *arg,
    uint64_t *bad);

#endif
