/* SPDX-License-Identifier: ISC */
/* The lines of an OS file that say where a kernel's threads are. */
#ifndef OSTHREADS_H
#define OSTHREADS_H

#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"

/* Where threads are: an array of structures. Offsets are in one of these. */
enum { OS_STATES = 8, OS_REGISTERS = 32, OS_NAME = 15 };

struct os_threads {
	char *array; /* the symbol; NULL: it does not say */
	uint32_t count, size;
	uint32_t name, number,
	    stack;	     /* the last is the stack's lowest address */
	uint32_t stack_size; /* 0: not said, as other members */
	uint32_t state;
	size_t n_states, n_registers;
	struct os_state {
		uint32_t value;
		enum trace_state
		    is; /* threads with no such value are left out */
	} states[OS_STATES];
	struct os_register {
		uint8_t reg; /* as of DWARF, or OS_PC to OS_FP */
		uint32_t at;
	} registers[OS_REGISTERS];
};

/* Registers by their use. */
enum { OS_PC = 253, OS_SP, OS_FP };

/*
 * Reads the rest of a line `threads WHAT ...`. Returns what is wrong with it
 * (static), or NULL.
 */
const char *osthreads_line(struct os_threads *t, const char *p, size_t len);
void osthreads_done(struct os_threads *t);

#endif
