/* SPDX-License-Identifier: ISC */
/*
 * Private to common/unwind: the instructions of aarch64, riscv and loongarch64
 * that matter to a stack. They move the stack pointer, store and load registers
 * on the stack, or read and write the registers of the last exception.
 */
#ifndef KST_RISC_H
#define KST_RISC_H

#include "cfi/caller.h"

enum risc_kind {
	RISC_SET,     /* gives d another value */
	RISC_STORE,   /* d, and e 8 bytes higher, to sp + off */
	RISC_LOAD,    /* d, and e 8 bytes higher, from sp + off */
	RISC_ADDRESS, /* d is sp + off */
	RISC_MOVE,    /* only sp moves */
	RISC_SWITCH,  /* sp gets a value of another register */
	RISC_GET,     /* d is a special register */
	RISC_PUT,     /* that special register is d */
	RISC_SAVE,    /* d to tp + off (riscv) */
	RISC_FETCH,   /* d from tp + off (riscv) */
	RISC_PARK,    /* d to the spare register `off` (aarch64) */
	RISC_UNPARK,  /* d from there */
	RISC_RETURN   /* from an exception */
};

/*
 * The special registers of RISC_GET and RISC_PUT: those of the last exception,
 * and sp_el0.
 */
enum risc_special { RISC_PC, RISC_STATUS, RISC_SP, RISC_NOTHING };

enum { RISC_NONE = UNWIND_REGS };

struct risc {
	enum risc_kind kind;
	enum risc_special special;
	uint8_t d, e; /* RISC_NONE: none */
	uint8_t from; /* riscv: d is a copy of it; RISC_NONE */
	int32_t off;
	int32_t down; /* before the instruction, sp is lower by that */
	bool vector;  /* aarch64: add sp, sp, x0, as in Linux' vectors */
	bool machine; /* riscv: mret, or of machine mode's registers */
};

/* Reads the instruction at p. Returns its length, or 0 if there is none. */
size_t risc_read(
    enum unwind_arch arch, const uint8_t *p, size_t left, struct risc *r);

/* What n bytes of a function's code, from its beginning, do to its frame. */
struct risc_frame {
	bool record; /* its frame record is set up */
	/*
	 * A leaf may store only the frame pointer. Then this is where the
	 * caller's frame pointer is, relative to the leaf's own; else 0.
	 */
	int64_t up;
	/* how far sp is above the record at the beginning; 0: unknown */
	int64_t top;
	bool saves_ra; /* it keeps the return address, or calls what keeps it */
	/* riscv: the register that has the return address; RISC_NONE: none. */
	unsigned ra;
};

/*
 * Reads as far as *until, one of f's, becomes true; NULL: to the end. Returns
 * whether there is a record.
 */
bool risc_frame(enum unwind_arch arch, const uint8_t *code, size_t n,
    struct risc_frame *f, const bool *until);

/* Whether a return address follows this instruction of 4 bytes. */
bool risc_is_call(enum unwind_arch arch, const uint8_t *p);

/*
 * Where a call leads that these 8 bytes of riscv before ra make; 0 if they make
 * none.
 */
uint64_t riscv_called(const uint8_t *p, uint64_t ra);

#endif
