/* SPDX-License-Identifier: ISC */
/*
 * Private to common/unwind: the entry of an exception on aarch64 and riscv,
 * read from its code: where on the stack it saves the registers of what it has
 * interrupted, or whence its end restores them. For kernels whose assembler has
 * no call frame information. The code is read as if no branch in it were taken.
 */
#ifndef KST_ENTRY_H
#define KST_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfi/regs.h"

struct caller;

/* The longest way from a function's start to where it calls. */
enum { ENTRY_CODE = 1024 };

enum entry_found {
	ENTRY_NONE, /* the code is not an entry's */
	ENTRY_FOUND,
	ENTRY_CALLED, /* it leaves it to what it calls to save the pc */
	ENTRY_UNSAVED /* it is, but the interrupted registers are not known */
};

/* A place in a function, n bytes of whose code are known. */
struct entry_place {
	enum unwind_arch arch;
	const uint8_t *code;
	size_t n, at;
	bool exact; /* a CPU is there, it has not called */
};

/*
 * The caller is what was interrupted. While it is not saved yet, or is restored
 * already, the processor's registers have it: regs->exception_pc. *switched:
 * the code has left its caller's stack.
 */
enum entry_found entry_find(const struct entry_place *p,
    const struct unwind_regs *regs, struct caller *c, bool *switched);

#endif
