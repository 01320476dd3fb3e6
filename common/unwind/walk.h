/* SPDX-License-Identifier: ISC */
/* Private to the room: one stack in the making, and a step up it. */
#ifndef WALK_H
#define WALK_H

#include "unwind/unwind.h"

struct uelf;

/* What somebody has said of a function. */
struct walk_rule {
	uint64_t start, end;
	struct saved *saved; /* NULL: a root */
};

struct unwind_module {
	struct uelf *e;
	uint64_t bias, low, high;
	bool use;
	bool program; /* its code is the file's */
	bool frames;  /* its functions have frames, or nothing tells */
	struct walk_rule *rule; /* by address */
	size_t n_rule;
};

struct unwinder {
	enum unwind_arch arch;
	const struct unwind_abi *abi;
	struct unwind_module **mod;
	size_t n_mod;
	uint64_t floor;	   /* 0: none */
	unwind_code *code; /* NULL: the files' */
	void *code_arg;
	unwind_find *find; /* NULL: no further modules */
	void *find_arg;
};

/* One stack in the making. */
struct walk {
	struct unwinder *u;
	unwind_read *read;
	void *arg;
	struct unwind_stack *st;
	struct unwind_regs regs;
	uint64_t known;	  /* a bit for each register that can be relied on */
	bool exact;	  /* the frame to leave was interrupted */
	bool signal;	  /* it was an interrupt's entry, says its CFI */
	bool interrupted; /* its caller was interrupted, did not call it */
	bool switched;	  /* the caller's stack may be another one */
	bool user;	  /* the CPU is in a program that nobody knows */
	bool any_code;	  /* read what no module has, too */
	uint64_t no_code; /* an address whose code is not to be had; 0: none */
};

/* The module in use that holds the address; NULL: none. */
struct unwind_module *unwinder_find(const struct unwinder *u, uint64_t addr);

/* The same for an address that is code for sure. */
struct unwind_module *unwinder_find_code(
    const struct unwinder *u, uint64_t addr);

/* What was said of the function at an address, NULL: nothing. */
const struct walk_rule *walk_rule(const struct unwind_module *m, uint64_t addr);

/* Says why the stack ends here; returns -1. */
int walk_stop(struct walk *w, enum unwind_end end);

/* Replaces the registers by those of the caller; -1 when there is none. */
int walk_step(struct walk *w);

/* The same by a row of call frame information, */
struct urow;
int walk_by_row(
    struct walk *w, const struct unwind_module *m, const struct urow *row);

/* by what was said of the function, */
int walk_by_rule(
    struct walk *w, const struct unwind_module *m, const struct walk_rule *r);

/*
 * by what the function's code has saved of an interrupted one's registers
 * (1: it is not an interrupt's entry; w->switched then says whether the code
 * has left its caller's stack),
 */
int walk_by_entry(
    struct walk *w, const struct unwind_module *m, uint64_t lookup);

/* and without any table. */
int walk_guess(struct walk *w, const struct unwind_module *m, uint64_t lookup);

/* A function's code in the file, from its start; NULL when not known. */
const uint8_t *walk_function(
    const struct unwind_module *m, uint64_t addr, uint64_t *start, size_t *n);

/* Code of a known module; with w->any_code, of any. arg: a struct walk */
size_t walk_code(void *arg, uint64_t addr, uint8_t *to, size_t n);

/* All reads go through here: the highest one is the stack's depth. */
int walk_memory(void *arg, uint64_t addr, uint64_t *word);

#endif
