/* SPDX-License-Identifier: ISC */
/*
 * Private to common/unwind: reads the code of an exception's entry on aarch64
 * and riscv. It finds where on the stack the entry saves the registers of what
 * it has interrupted, or where its end restores them from. This is for kernels
 * whose assembler has no call frame information. The code is read as if no
 * branch in it were taken.
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
	ENTRY_CALLED, /* an entry; what it calls saves the pc */
	ENTRY_UNSAVED /* an entry, but where it saves registers is unknown */
};

/* A place in a function, n bytes of whose code are known. */
struct entry_place {
	enum unwind_arch arch;
	const uint8_t *code;
	size_t n, at;
	bool exact; /* a CPU is here, in a function that has not called another
		     */
};

/*
 * The caller is what was interrupted. Where it is not saved yet, or is restored
 * already, the processor's registers have it: regs->exception_pc. *switched:
 * the code has left its caller's stack.
 */
enum entry_found entry_find(const struct entry_place *p,
    const struct unwind_regs *regs, struct caller *c, bool *switched);

#endif
