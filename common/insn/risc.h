/* SPDX-License-Identifier: ISC */
/*
 * Private to common/unwind: instructions of aarch64, riscv and loongarch64,
 * as far as they matter to a stack: those that move the stack pointer, store
 * and load registers there, and read and write the registers of the last
 * exception.
 */
#ifndef KST_RISC_H
#define KST_RISC_H

#include "cfi/caller.h"

enum risc_kind {
	RISC_SET,     /* gives d another value */
	RISC_STORE,   /* d, and e 8 bytes higher, to sp + off */
	RISC_LOAD,    /* the same from there */
	RISC_ADDRESS, /* d is sp + off */
	RISC_MOVE,    /* sp moves alone */
	RISC_SWITCH,  /* sp gets a value of another register */
	RISC_GET,     /* d is a special register */
	RISC_PUT,     /* that is d */
	RISC_SAVE,    /* d to tp + off (riscv) */
	RISC_FETCH,   /* d from there */
	RISC_RETURN   /* from an exception */
};

/* Of RISC_GET and RISC_PUT: the last exception's, and sp_el0. */
enum risc_special { RISC_PC, RISC_STATUS, RISC_SP, RISC_NOTHING };

enum { RISC_NONE = UNWIND_REGS };

struct risc {
	enum risc_kind kind;
	enum risc_special special;
	uint8_t d, e; /* RISC_NONE: none */
	uint8_t from; /* riscv: d is a copy of it; RISC_NONE */
	int32_t off;
	int32_t down; /* sp is lower by that before */
	bool vector;  /* aarch64: add sp, sp, x0, as in Linux' vectors */
	bool machine; /* riscv: mret, or of machine mode's registers */
};

/* Reads the instruction at p; returns its length, 0 without one. */
size_t risc_read(
    enum unwind_arch arch, const uint8_t *p, size_t left, struct risc *r);

/* What n bytes of a function's code, from its beginning, do to its frame. */
struct risc_frame {
	bool record; /* its frame record is set up */
	/*
	 * A leaf may store the frame pointer alone: then this is where its
	 * caller's is, relative to its own; else 0.
	 */
	int64_t up;
	/* How far sp at the beginning is above the record; 0: not known. */
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

/* Where the call of riscv leads that these 8 bytes before ra are; else 0. */
uint64_t riscv_called(const uint8_t *p, uint64_t ra);

/* Whether n bytes of riscv's code jump out of them, or to a register's. */
bool riscv_leaves(const uint8_t *code, size_t n);

#endif
