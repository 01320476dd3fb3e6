/* SPDX-License-Identifier: ISC */
/*
 * Private to common/unwind: where code leads, by its jumps and calls, how that
 * of i386 leaves an interrupt, and how functions of x86 begin.
 */
#ifndef KST_INSN_H
#define KST_INSN_H

#include "cfi/regs.h"

enum jump {
	JUMP_NONE,    /* there are no more */
	JUMP_TO,      /* to *to */
	JUMP_ANYWHERE /* to an address in a register or in memory, or unknown */
};

/*
 * Finds the next jump or branch in the n bytes from a function's start, from
 * place *at on, which moves to after it. *to is relative to the start. Of i386,
 * what only looks like a jump is one. `thumb`: of arm, the code is Thumb's.
 */
enum jump code_jump(enum unwind_arch arch, bool thumb, const uint8_t *code,
    size_t n, size_t *at, int64_t *to);

/*
 * Where the call leads that these 8 bytes before the return address make; 0 if
 * they make none, or if a register or memory has the target.
 */
uint64_t code_called(
    enum unwind_arch arch, bool thumb, const uint8_t *p, uint64_t ra);

/* Relative to the stack pointer at the place. */
struct x86_iret {
	int32_t up; /* where the stack pointer is so far, at last at iret; */
	int32_t bp; /* whence ebp is restored, NO_BP: it is not */
	int32_t to; /* X86_IRET_JUMP: how far away the code goes on */
};
#define X86_IRET_NO_BP INT32_MIN

enum x86_left { X86_IRET_NONE, X86_IRET_FOUND, X86_IRET_JUMP };

/*
 * Reads from a place in the code on, as if no branch were taken and all calls
 * returned. NONE: the code does not come to iret, or sets the stack pointer to
 * an unknown value.
 */
enum x86_left x86_iret(const uint8_t *p, size_t n, struct x86_iret *s);

/*
 * Whether a CPU starts in the function: before place `at` the function sets the
 * stack pointer to an address that it names, and has pushed nothing. A function
 * that returns from an interrupt does not count, as it may have a stack of its
 * own.
 */
bool x86_starts(const uint8_t *code, size_t n, size_t at);

/* The longest code that is looked at for a frame record. */
enum { X86_RECORD = 32 };

/*
 * Whether a function has its frame record after `before` bytes of its code, of
 * which n are at p. *pushed: it has at least the record's first half, the frame
 * pointer.
 */
bool x86_record(
    const uint8_t *p, size_t n, size_t before, unsigned word, bool *pushed);

/*
 * Whether n bytes of code lead to a return and leave the stack alone until
 * then: the frame record is gone, and the return address is at the stack
 * pointer.
 */
bool x86_left(const uint8_t *p, size_t n, unsigned word);

/* Whether a function may begin so: it pushes, or makes room on the stack. */
bool x86_begins(const uint8_t *code, size_t n);

/* An address that code names, perhaps as a call's. */
struct x86_name {
	uint64_t to;
	bool call;
};

/*
 * Finds the next one in the n bytes of code at `addr`, from place *at on, which
 * moves to after it.
 */
bool x86_named(const uint8_t *code, size_t n, size_t *at, uint64_t addr,
    struct x86_name *name);

/* Whether these bytes may end with a call; calls have 2 to 7 bytes. */
enum { X86_CALL = 7 };
bool x86_after_call(const uint8_t code[X86_CALL]);

enum { ARM_CALL_BYTES = 8 };

/*
 * Arm: whether a return address follows these bytes: n, the last 4 or all
 * ARM_CALL_BYTES.
 */
bool arm_is_call(const uint8_t *p, size_t n, bool thumb);

/* Whether these 4 bytes before ra are a direct call: of *to. */
bool arm_called(const uint8_t *p, bool thumb, uint64_t ra, uint64_t *to);

#endif
