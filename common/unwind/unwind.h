/* SPDX-License-Identifier: ISC */
/*
 * Unwinds call stacks from registers and memory, by the unwind tables of ELF
 * files, by rules for single functions, by the code of entries, by frame
 * pointers, or by the code of functions that have none. tests/README.md
 * describes a text form of everything that a stack is unwound from.
 */
#ifndef KST_UNWIND_H
#define KST_UNWIND_H

#include "cfi/caller.h"
#include "cfi/regs.h"

enum { UNWIND_DEPTH = 1024 };

struct unwind_frame {
	uint64_t pc;
	bool exact;  /* interrupted here; else a return address: look up pc-1 */
	bool signal; /* an interrupt's entry: the next frame did not call it */
};

/* Why a stack ended. All after UNWIND_UNPROVEN leave it incomplete. */
enum unwind_end {
	UNWIND_ROOT,	 /* a table, a rule, or the code, says that nobody
			    called this */
	UNWIND_ZERO,	 /* the return address, or frame pointer, is 0 */
	UNWIND_USER,	 /* the kernel's part is over: the caller is in a
			    process's code that no module has */
	UNWIND_HANDLER,	 /* Cortex-M: what the handler interrupted is on a
			    stack of a thread, whose place is not told */
	UNWIND_UNPROVEN, /* no return address where it belongs */
	UNWIND_LOOP,	 /* a frame that is its own caller */
	UNWIND_INNER,	 /* the stack pointer moved backwards */
	UNWIND_MEMORY,	 /* a word that could not be read: at *bad */
	UNWIND_WINDOW,	 /* that, but it was not tried: see vcpu.h */
	UNWIND_UNSAVED,	 /* the return address was not kept */
	UNWIND_FIRMWARE, /* a CPU in the firmware, which is not unwound */
	UNWIND_DIFFERS,	 /* frame pointers lead to a caller that it lacks */
	UNWIND_RULE,	 /* call frame information that makes no sense */
	UNWIND_PROGRAM,	 /* a process's code that no module has */
	UNWIND_LIMIT	 /* UNWIND_DEPTH frames */
};

struct unwind_stack {
	struct unwind_frame frame[UNWIND_DEPTH];
	size_t n;
	enum unwind_end end;
	uint64_t bad; /* UNWIND_MEMORY: the address */
	bool code;    /* UNWIND_MEMORY: of code that could not be read */
	uint64_t top; /* the highest address that was read, plus 8 */
};

struct unwind_settings {
	/*
	 * Reads code of the kernel (of all modules except programs) from the
	 * guest's memory, because kernels patch their code. NULL: use the code
	 * in the files.
	 */
	unwind_code *code;
	/*
	 * Called for an address that no module in use holds. It may put a
	 * module to use, and returns whether it has. Or NULL.
	 */
	bool (*find)(void *arg, uint64_t addr);
	void *arg; /* of both */
	/* A stack from there or above ends where it goes below; 0: none. */
	uint64_t floor;
	/*
	 * A CPU that has taken an exception of the kernel, and has executed
	 * nothing since, is unwound from the exception, not from what it has
	 * interrupted.
	 */
	bool show_skid;
};

struct unwinder;

/* A program in memory: one ELF file at one bias. */
struct unwind_module;

struct unwinder *unwinder_new(enum unwind_arch arch);
void unwinder_free(struct unwinder *u);

/* All are 0 at first. */
void unwinder_set(struct unwinder *u, const struct unwind_settings *s);

/*
 * Reads an ELF file's segments, symbols and unwind tables. Addresses in memory
 * are those of the file plus `bias`. The code of a `program` is always read
 * from the file. Returns NULL with a reason in *why (static). Else *why is
 * NULL, or says what is missing. The module belongs to the unwinder.
 */
struct unwind_module *unwinder_add(struct unwinder *u, const char *path,
    uint64_t bias, bool program, const char **why);

/* A program without a file; copies its .eh_frame. NULL if that is empty. */
struct unwind_module *unwinder_add_frames(
    struct unwinder *u, const struct unwind_frames *f);

/*
 * Adds the module's code in [start, end) once more, mapped at `at`, too. The
 * module has all its rules by then.
 */
void unwinder_add_again(struct unwinder *u, const struct unwind_module *m,
    uint64_t start, uint64_t end, uint64_t at);

/* Sets how much higher than in the file a module is. */
void unwind_module_move(struct unwind_module *m, uint64_t bias);

/*
 * Sets whether the module takes part. If several programs have the same
 * address, only the one that is mapped may. At first all take part.
 */
void unwind_module_use(struct unwind_module *m, bool use);

/*
 * Adds a rule for the functions in [start, end), addresses of the module's
 * file, in rising order. Either stacks end in these functions; or they are an
 * entry that saves the registers of what it interrupts. Then `entry` has
 * CALLER_AT rules, relative to the stack pointer at the entry's calls.
 */
void unwind_module_rule(struct unwind_module *m, uint64_t start, uint64_t end,
    const struct caller *entry);

/* Unwinds from the registers of an interrupted CPU. */
void unwinder_run(struct unwinder *u, const struct unwind_regs *regs,
    unwind_read *read, void *arg, struct unwind_stack *st);

#endif
