/* SPDX-License-Identifier: ISC */
/* Reads instructions of x86_64 and i386. */
#ifndef KST_X86_INSN_H
#define KST_X86_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Registers as instructions number them. */
enum { X86_SP = 4, X86_BP = 5, X86_NONE = 16 };

/* `mod` of ModRM if rm is a register, not a place in memory. */
enum { X86_IS_REG = 3, X86_NO_MODRM = 4 };

struct x86_insn {
	size_t len;
	unsigned op;	  /* the opcode; 0x100 more after 0f */
	unsigned mod;	  /* of ModRM, */
	unsigned reg, rm; /* with REX; in memory, rm is the base; push,
			     mov of a number: reg */
	unsigned index;	  /* X86_NONE: there is none */
	int32_t disp, imm;
};

/* Reads the instruction at p. Returns -1 if there is none. */
int x86_insn(const uint8_t *p, size_t n, struct x86_insn *x);

/* Whether it pushes a word. */
bool x86_pushes(const struct x86_insn *x);

/* As x86_insn(), for i386's mode of 32 bits, without addresses of 16 bits. */
int x86_insn_32(const uint8_t *p, size_t n, struct x86_insn *x);

#endif
