/* SPDX-License-Identifier: ISC */
/*
 * Finds where a stub's `g` packet has the registers that unwinding needs. The
 * target description says it: target.xml and the files that it includes. For
 * little-endian targets.
 */
#ifndef LAYOUT_H
#define LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "guest/vcpu.h"
#include "unwind/unwind.h"

enum { LAYOUT_INCLUDES = 32 };

/* Of layout.ask; from ASK_MACHINE on as in enum machine_reg; x86's paging is
 * in the packet. */
enum {
	ASK_PRIV,
	ASK_PC,
	ASK_STATUS,
	ASK_VECTOR,
	ASK_THREAD_SP,
	ASK_MACHINE,
	ASK_PAGING = ASK_MACHINE + MACHINE_REGS, /* as in enum paging_reg */
	LAYOUT_ASK = ASK_PAGING + PAGING_REGS
};

struct layout {
	enum unwind_arch arch;
	/*
	 * The offset in bytes of DWARF register i in the packet; -1: it is not
	 * there.
	 */
	int32_t offset[UNWIND_REGS];
	int32_t mode; /* cs or cpsr, of 4 bytes, in the same way */
	int32_t cr0;  /* of a word */
	int32_t paging[PAGING_REGS]; /* x86: those of an address's size */
	size_t end; /* bytes up to the last of these in the packet */
	bool flat;  /* Cortex-M has no page tables */
	/*
	 * Numbers of registers to ask for by `p`; -1: none. The mode it is in
	 * (riscv), what the last exception interrupted, Cortex-M's stack
	 * pointer of threads, the firmware's registers, and those that say
	 * where memory is.
	 */
	int32_t ask[LAYOUT_ASK];
	int32_t spare[UNWIND_SPARES]; /* those that few samples need */
};

/*
 * Gets a description's file by its name, as a string that the caller frees;
 * NULL if it does not exist.
 */
typedef char *layout_fetch(void *arg, const char *name);

/*
 * The value of an attribute within the XML element p..end, which has less than
 * cap bytes: a string in `to`. -1: it is not there.
 */
int layout_attribute(
    const char *p, const char *end, const char *name, char *to, size_t cap);

/*
 * Reads target.xml and its includes. If they name the architecture and no
 * register, the packet is laid out as in gdb. Returns 0, or -1 with a reason in
 * *why (a static string).
 */
int layout_read(
    struct layout *l, layout_fetch *fetch, void *arg, const char **why);

/* Takes the answer to a `p` for ask[which]. */
void layout_asked(int which, uint64_t value, struct vcpu *c);

/* Takes the registers from a decoded `g` packet of n bytes. */
int layout_regs(const struct layout *l, const uint8_t *g, size_t n,
    struct unwind_regs *regs, struct paging *paging);

#endif
