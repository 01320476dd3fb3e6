/* SPDX-License-Identifier: ISC */
/* Private to the room: reads what a step needs from code and memory. */
#ifndef KST_READ_H
#define KST_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "unwind/unwind.h"
#include "unwind/walk.h"

struct caller;
struct risc_frame;

/* Sets why the stack ends. */
enum stage_result walk_end(struct walk *w, enum unwind_end end);

/*
 * The module in use that holds an address, or NULL. The second function is for
 * the walk's code.
 */
struct unwind_module *unwinder_find(const struct unwinder *u, uint64_t addr);
struct unwind_module *walk_find(const struct walk *w, uint64_t addr);

/* In a module, which may be NULL. */
struct function walk_function(const struct unwind_module *m, uint64_t addr);

/*
 * The frame of a function that has called, as risc_frame() reads it from the
 * code up to the call and `more` bytes. Returns false if that is unknown, or if
 * the processor does not keep the return address in a register.
 */
bool walk_called(
    const struct walk *w, size_t more, struct risc_frame *f, const bool *until);

/*
 * The caller by the code of an x86_64 function in the file, since what a kernel
 * patches does not change the stack. Returns whether the code shows it.
 */
bool walk_by_code(struct walk *w, struct caller *c);

/*
 * The caller in w->made, if its return address follows a call. STAGE_NEXT: that
 * is unknown. STAGE_END, without a reason: it does not.
 */
enum stage_result walk_by_return(struct walk *w);

/* Code of a module; with w->any_code, any. Returns how many bytes there are. */
size_t walk_code(struct walk *w, uint64_t addr, uint8_t *to, size_t n);

/* Reads a word of the stack; arg is a struct walk. */
int walk_memory(void *arg, uint64_t addr, uint64_t *word);

/* A return address without aarch64's signature, or arm's bit of Thumb. */
uint64_t walk_unsigned(const struct walk *w, uint64_t pc);

/* Whether the function around an address is Thumb code. */
bool walk_thumb(const struct walk *w, uint64_t addr);

/* Whether an address follows a call, as return addresses do. */
bool walk_is_return(struct walk *w, uint64_t addr);

/* The most pairs that are kept. */
enum { WALK_PAIRS = 4096 };

/* A function's place, and where it returns to: that was looked at. */
struct walk_pair {
	const struct unwind_module *m;
	uint64_t from, pc;
};

/*
 * Whether the call that returns to `pc` may lead to the function that was left:
 * a direct call leads to it, or to code that jumps to it. What is not known may
 * lead anywhere.
 */
bool walk_leads(struct walk *w, uint64_t pc);

/*
 * Whether the caller that was found is the beginning of a function of arm or
 * x86, and follows no call (on arm, of the function that was left): what
 * creates a task puts such an address where the first switch to it returns.
 */
bool walk_begins(struct walk *w);

#endif
