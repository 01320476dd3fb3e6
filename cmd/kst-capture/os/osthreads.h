/* SPDX-License-Identifier: ISC */
/* The lines of an OS file that say where a kernel's threads are. */
#ifndef OSTHREADS_H
#define OSTHREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

enum {
	OS_SOURCES = 8, /* arrays and lists */
	OS_STATES = 16,
	OS_REGISTERS = 32,
	OS_WORDS = 96,	     /* all of them */
	OS_SIZE = 16 << 10,  /* bytes of a thread's structure, */
	OS_STACK = 64 << 10, /* and of its stack */
	OS_COUNT = 1 << 15,  /* structures in an array */
	OS_NAME = 15	     /* bytes of a thread's name */
};

/*
 * Where structures are. Words are places (elfplace.h), or offsets in pointers:
 * array: its address, and the size of one; list: the address of the first
 * pointer, the next pointer in a structure, and what pointers point to in one
 * (NULL: its beginning); pointers: the address of an array of pointers.
 */
enum os_shape { OS_ARRAY, OS_LIST, OS_POINTERS };

struct os_source {
	enum os_shape shape;
	enum trace_state is; /* of all there; STATE_UNKNOWN: each tells */
	const char *at, *next, *node, *size;
	const char *count; /* a number, or the address of one; 0: all */
};

/* A register is there, or is the address of that place, or is a number. */
enum os_held { OS_THERE, OS_ADDRESS, OS_VALUE };

struct os_threads {
	struct os_source source[OS_SOURCES];
	size_t n_source; /* 0: it does not say where threads are */
	/* offsets in a structure; NULL: it does not say */
	const char *name, *number, *stack, *state, *saved;
	/* a pointer to a lock, where a lock has its holder's number, and the
	 * function that waits for locks */
	const char *lock, *holder, *waits;
	const char *current; /* the address of a pointer to one that runs */
	uint32_t stack_size; /* `stack` is the lowest address */
	size_t n_states, n_registers;
	struct os_state {
		const char *value; /* a number, or a constant's name */
		enum trace_state
		    is; /* threads with no such value are left out */
	} states[OS_STATES];
	struct os_register {
		uint8_t reg; /* as of DWARF, or OS_PC to OS_FPU_SP */
		enum os_held held;
		const char
		    *at; /* an offset, from where `saved` leads if told */
	} registers[OS_REGISTERS];
	char *word[OS_WORDS]; /* what all of these point to */
	size_t n_word;
};

/*
 * Registers by their use. OS_FPU_SP: sp, if the return from an exception has to
 * load the registers of Cortex-M's FPU.
 */
enum { OS_PC = 252, OS_SP, OS_FP, OS_FPU_SP };

/*
 * Reads the rest of a line `threads WHAT ...`. Returns what is wrong with it
 * (static), or NULL.
 */
const char *osthreads_line(struct os_threads *t, const char *p, size_t len);

/* Whether a word is a number of pointers, such as 3w. */
bool osthreads_words(const char *word, size_t n, uint64_t *to);
void osthreads_done(struct os_threads *t);

#endif
