/* SPDX-License-Identifier: ISC */
/*
 * Call stacks from registers and stack memory: by call frame information
 * (.eh_frame, .debug_frame) where there is any, by frame pointers elsewhere.
 *
 * Registers have their DWARF numbers; the program counter has a number of its
 * own (x86_64 and i386: the return address column; the others: 32).
 */
#ifndef UNWIND_H
#define UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum unwind_arch {
	UNWIND_X86_64,
	UNWIND_AARCH64,
	UNWIND_RISCV64,
	UNWIND_I386,
	UNWIND_LOONGARCH64,
	UNWIND_ARCHS
};

enum { UNWIND_REGS = 33, UNWIND_DEPTH = 1024 };

/* What a processor does, as it says itself (x86: cs, aarch64: cpsr). */
enum unwind_mode {
	UNWIND_MODE_UNKNOWN,
	UNWIND_MODE_KERNEL,
	UNWIND_MODE_USER,
	UNWIND_MODE_FIRMWARE /* riscv64: machine mode */
};

struct unwind_regs {
	uint64_t r[UNWIND_REGS];
	enum unwind_mode mode;
	/*
	 * What the last exception interrupted, as the processor still knows:
	 * ELR_EL1, SPSR_EL1; sepc, sstatus. For a CPU that is in its entry.
	 */
	bool has_exception;
	uint64_t exception_pc, exception_status;
};

/* The numbers of the registers with a part to play. */
struct unwind_abi {
	const char *name;
	uint8_t pc, sp, fp, ra, n;
	uint8_t word;	  /* bytes of an address */
	bool x86;	  /* x86_64 or i386 */
	uint16_t machine; /* e_machine of its ELF files */
};

extern const struct unwind_abi unwind_abis[UNWIND_ARCHS];

/* Reads a word, of an address's size; returns 0, or -1 when it is not to be
 * had. */
typedef int unwind_read(void *arg, uint64_t addr, uint64_t *word);

/* Bytes of code in memory; returns how many there are, up to n. */
typedef size_t unwind_code(void *arg, uint64_t addr, uint8_t *to, size_t n);

struct unwind_frame {
	uint64_t pc;
	bool exact;  /* interrupted here; else a return address: look up pc-1 */
	bool signal; /* an interrupt's entry: the next frame did not call it */
};

/* Why a stack ended. All but the first three leave it incomplete. */
enum unwind_end {
	UNWIND_ROOT,	/* the code says so: no return address */
	UNWIND_ZERO,	/* the return address, or frame pointer, is 0 */
	UNWIND_USER,	/* what comes next is a process's own code */
	UNWIND_LOOP,	/* a frame that is its own caller */
	UNWIND_INNER,	/* the stack pointer moved backwards */
	UNWIND_MEMORY,	/* a word that could not be read: at *bad */
	UNWIND_WINDOW,	/* that, but it was not tried: see vcpu.h */
	UNWIND_UNSAVED, /* the return address was not kept */
	UNWIND_RULE,	/* call frame information that makes no sense */
	UNWIND_LIMIT,	/* UNWIND_DEPTH frames */
	UNWIND_FIRMWARE /* a CPU in the firmware, which is not unwound */
};

struct unwind_stack {
	struct unwind_frame frame[UNWIND_DEPTH];
	size_t n;
	enum unwind_end end;
	uint64_t bad; /* UNWIND_MEMORY: the address */
	bool code;    /* UNWIND_MEMORY: what was not to be had is code */
	uint64_t top; /* the highest address that was read, plus 8 */
};

struct unwinder;

/* A program in memory: one ELF file at one bias. */
struct unwind_module;

struct unwinder *unwinder_new(enum unwind_arch arch);
void unwinder_free(struct unwinder *u);
const struct unwind_abi *unwinder_abi(const struct unwinder *u);

/*
 * Reads an ELF file's segments and call frame information. Addresses in memory
 * are those of the file plus `bias`. Returns NULL with a reason in *why
 * (static). The module belongs to the unwinder.
 */
struct unwind_module *unwinder_add(
    struct unwinder *u, const char *path, uint64_t bias, const char **why);

/*
 * The same for an image whose lowest byte is at `base`, of a program: its code
 * was compared with the file, and is read from there.
 */
struct unwind_module *unwinder_add_at(
    struct unwinder *u, const char *path, uint64_t base, const char **why);

/* The same for an image that is `bias` higher than in its file. */
struct unwind_module *unwinder_add_program(
    struct unwinder *u, const char *path, uint64_t bias, const char **why);

/*
 * A program without a file, from the contents of its .eh_frame at eh_addr;
 * nothing of them is kept. NULL when they say nothing.
 */
struct unwind_module *unwinder_add_frames(struct unwinder *u, uint64_t text,
    uint64_t size, uint64_t eh_addr, const uint8_t *eh, size_t n);

/* Sets how much higher than in the file a module is. */
void unwind_module_move(struct unwind_module *m, uint64_t bias);

/*
 * Whether the module takes part: of several programs at one address only the
 * one that is mapped must. All do at first.
 */
void unwind_module_use(struct unwind_module *m, bool use);

/*
 * Somebody knows of the functions in [start, end), addresses of the module's
 * file: nobody has called them, or, with what an entry has saved, whom it has
 * interrupted.
 */
struct saved;
void unwind_module_rule(struct unwind_module *m, uint64_t start, uint64_t end,
    const struct saved *saved);

/*
 * Where the code of the kernel, all modules but programs, is read from: the
 * guest's memory, as it is not what the file has. Without it, from the files.
 */
void unwinder_set_code(struct unwinder *u, unwind_code *code, void *arg);

/*
 * Asks for the module of an address that none in use holds: `find` may put one
 * to use, and says whether it has.
 */
typedef bool unwind_find(void *arg, uint64_t addr);
void unwinder_set_find(struct unwinder *u, unwind_find *find, void *arg);

/* Whether any module in use holds the address. */
bool unwinder_knows(const struct unwinder *u, uint64_t addr);

/*
 * A stack that begins at or above the address ends where it goes below: the
 * kernel's part of it.
 */
void unwinder_set_floor(struct unwinder *u, uint64_t floor);

/*
 * The code of the kernel that a stack which begins at an address needs: *n
 * bytes at *at. Returns false when tables lead on from there.
 */
bool unwinder_needs(struct unwinder *u, uint64_t pc, uint64_t *at, size_t *n);

/* Unwinds from the registers of an interrupted CPU. */
void unwinder_run(struct unwinder *u, const struct unwind_regs *regs,
    unwind_read *read, void *arg, struct unwind_stack *st);

#endif
