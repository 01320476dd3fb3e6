/* SPDX-License-Identifier: ISC */
/*
 * What an instruction does to the flow of control, as far as a stack of calls
 * needs it. From the processors' public manuals.
 */
#ifndef INSN_H
#define INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum insn_arch {
	INSN_X86, /* of 64 and of 32 bits */
	INSN_ARM64,
	INSN_RISCV
};

enum insn_kind {
	INSN_PLAIN,
	INSN_BRANCH, /* to `target`, or on */
	INSN_JUMP,   /* anywhere */
	INSN_CALL,
	INSN_RETURN,
	INSN_TRAP, /* a system call, or a software interrupt */
	INSN_TRAP_RETURN
};

struct insn {
	enum insn_kind kind;
	bool direct; /* `target` is known */
	bool always; /* INSN_BRANCH: it never goes on */
	bool turns;  /* x86: it goes on in turns, each of which is counted */
	uint64_t target; /* its low `bits` */
	unsigned bits;
	/* It stores the return address to the stack, or loads it from there. */
	bool saves, loads;
};

/*
 * Decodes the instruction of n bytes at an address. Unknown bytes, and fewer
 * than the instruction needs, are INSN_PLAIN.
 */
struct insn insn_decode(
    enum insn_arch arch, uint64_t addr, const uint8_t *p, size_t n);

/* Whether a direct instruction leads to an address. */
static inline bool
insn_leads_to(const struct insn *x, uint64_t addr)
{
	return x->direct &&
	       ((addr ^ x->target) & (UINT64_MAX >> (64 - x->bits))) == 0;
}

#endif
