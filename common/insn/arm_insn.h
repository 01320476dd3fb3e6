/* SPDX-License-Identifier: ISC */
/*
 * Private to the room: the instructions of 32-bit Arm and Thumb that matter to
 * a stack. Encodings: Arm's manuals of ARMv7-A and ARMv7-M.
 */
#ifndef KST_ARM_INSN_H
#define KST_ARM_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ARM_SP = 13, ARM_LR = 14, ARM_PC = 15, ARM_REGS = 16 };

enum arm_kind {
	ARM_OTHER,
	ARM_STORE, /* stores the list at sp + imm */
	ARM_PUSH,  /* sp moves down by imm, and stores the list there */
	ARM_POP,   /* loads the list, and sp moves up by imm */
	ARM_ADD,   /* d = n + imm */
	ARM_SUB,
	ARM_SAVE, /* n, which is not sp, moves down by imm, for the list */
	ARM_LOAD, /* loads the list from n, which is not sp */
	ARM_SET,  /* d gets another value */
	ARM_ODD,  /* d = n & imm, of sp: what is to be taken off to align it, */
	ARM_DOWN, /* sp moves down by register n, */
	ARM_UP,	  /* and back */
	ARM_LOSE, /* sp gets another value */
	ARM_HIDE, /* stores lr elsewhere */
	ARM_STATE, /* srs: lr and spsr of the exception, to a mode's stack */
	ARM_MODE,  /* cps: to that mode */
	ARM_CALL,
	ARM_LEAVE /* the code goes on elsewhere */
};

struct arm_insn {
	enum arm_kind kind;
	unsigned d, n;
	uint32_t list; /* a bit for each register */
	uint32_t imm;  /* may stand for a negative number */
	bool maybe;    /* under a condition */
};

/*
 * Reads the instruction at p, where 4 bytes are; returns its length. *it is how
 * many conditional instructions of Thumb are still to come; it begins as 0.
 */
size_t arm_insn_read(
    const uint8_t *p, bool thumb, unsigned *it, struct arm_insn *i);

/*
 * Whether the instruction at p, where 4 bytes are, is a branch or a call whose
 * target it names: *to, as it is at address `at`.
 */
bool arm_branch(const uint8_t *p, bool thumb, uint32_t at, uint32_t *to);

#endif
