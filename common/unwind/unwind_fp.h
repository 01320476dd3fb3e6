/* SPDX-License-Identifier: ISC */
/*
 * One step up the stack where there is no call frame information: by frame
 * pointers, and by the first instructions of the function that a CPU is in.
 */
#ifndef UNWIND_FP_H
#define UNWIND_FP_H

#include <stdbool.h>
#include <stdint.h>
#include "unwind/unwind.h"
#include "unwind/unwind_elf.h"

/* The stack that a frame pointer can point into begins at sp. */
enum { FP_REACH = 1 << 20 };

/*
 * What is known of the code: e is NULL outside of all modules; its own
 * addresses are lower by `bias`. `inner`: the frame is a CPU's current one, not
 * a caller.
 */
struct fp_code {
	const struct unwind_abi *abi;
	enum unwind_arch arch;
	const struct uelf *e;
	uint64_t bias;
	bool inner;
	bool switched;	   /* the frame may be on another stack */
	unwind_code *code; /* of any module */
	void *code_arg;
};

/*
 * Whether functions of x86_64 begin with a frame of their own, as far as a
 * look at some of them tells.
 */
bool fp_has_frames(const struct uelf *e, const struct unwind_abi *abi);

/* Whether an address follows a call, as return addresses do. */
bool fp_is_return(const struct fp_code *c, uint64_t addr);

/*
 * Whether the words at an address are those that an interrupt pushes: rip,
 * which no call left there, cs, rflags, rsp, ss; in 32 bits the last two only
 * from user mode. Gives pc and sp, and cs in *status.
 */
bool fp_interrupted(const struct fp_code *c, uint64_t at,
    struct unwind_regs *regs, uint64_t *status, unwind_read *read, void *arg);

/*
 * loongarch64: whether the frame pointer is set after `before` bytes of a
 * function's code. While ra is not stored, as in leaves, *up is where the
 * caller's frame pointer is, relative to the own one; else 0.
 */
bool loong_record(const uint8_t *code, size_t before, int64_t *up);

/*
 * Replaces the registers by the caller's. Returns 0, 1 when that one did not
 * call but was interrupted, or -1 with why the stack ends here in *end and,
 * for UNWIND_MEMORY, the address in *bad.
 */
int fp_step(const struct fp_code *c, struct unwind_regs *regs,
    unwind_read *read, void *arg, enum unwind_end *end, uint64_t *bad);

#endif
