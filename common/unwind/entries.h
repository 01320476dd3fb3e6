/* SPDX-License-Identifier: ISC */
/* Private to the room: steps from an exception to what it has interrupted. */
#ifndef KST_ENTRIES_H
#define KST_ENTRIES_H

#include <stdbool.h>
#include <stdint.h>

#include "insn/entry.h"
#include "unwind/walk.h"

walk_stage stage_vector; /* the beginning of an exception */
walk_stage stage_rule;	 /* a rule for the function */
walk_stage stage_entry;	 /* the code of an exception's entry */

/*
 * Finds out whether a function with call frame information is nevertheless an
 * exception's entry, by its code in the file.
 */
bool walk_file_entry(struct walk *w);

/* Whether an exception leads to the CPU's program counter. */
bool walk_at_vector(const struct walk *w, const struct unwind_regs *regs);

/* Whether the words there may be cs and the flags of x86. */
bool walk_flags(struct walk *w, uint64_t at);

/*
 * Whether the words at an address are those that an interrupt pushes on x86.
 * Adds the rules by which the caller is what it interrupted; `cfa` is the CFA
 * of w->made.
 */
bool walk_pushed(struct walk *w, uint64_t at, uint64_t cfa);

/*
 * Of other files: of kpti.c. ENTRY_FOUND: a CPU at a place is in Linux'
 * trampoline of aarch64, and the caller is the program, by regs->exception_pc,
 * thread_sp and spare. ENTRY_UNSAVED: it is, but there is no exception_pc.
 */
enum entry_found kpti_find(const struct entry_place *p,
    const struct unwind_regs *regs, struct caller *c);

#endif
