/* SPDX-License-Identifier: ISC */
/* Private to common/unwind: finds the jumps in code, and where calls lead. */
#ifndef KST_JUMPS_H
#define KST_JUMPS_H

#include "cfi/regs.h"

enum jump {
	JUMP_NONE,    /* there are no more */
	JUMP_TO,      /* to *to */
	JUMP_ANYWHERE /* to an address in a register or in memory, or unknown */
};

/* Whether code_jump() and code_called() know the processor's instructions. */
bool code_jumps_known(enum unwind_arch arch);

/*
 * Finds the next jump or branch in the n bytes from a function's start, from
 * place *at on, and moves *at behind it. *to is relative to the start. Of i386,
 * what only looks like a jump is one.
 */
enum jump code_jump(enum unwind_arch arch, const uint8_t *code, size_t n,
    size_t *at, int64_t *to);

/*
 * Where the call leads that these 8 bytes before the return address make; 0 if
 * they make none, or if a register or memory has the target.
 */
uint64_t code_called(enum unwind_arch arch, const uint8_t *p, uint64_t ra);

#endif
