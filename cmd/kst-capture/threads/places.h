/* SPDX-License-Identifier: ISC */
/*
 * Private to the room: where a kernel's file has what the lines of an OS file
 * say of threads.
 */
#ifndef PLACES_H
#define PLACES_H

#include <stdbool.h>
#include <stdint.h>

#include "elffile/elfplace.h"
#include "os/osthreads.h"

struct elfsym;

/* Members of a structure. */
enum member { NAME, NUMBER, STATE, STACK, SAVED_AT, LOCK, MEMBERS };

struct source {
	enum os_shape shape;
	enum trace_state is;
	struct elfplace at, count; /* of an array of lists, at.times */
	uint64_t next, node, size; /* as in struct os_source */
};

enum { SAVED = 512 /* bytes where registers are kept apart */ };

struct places {
	struct source source[OS_SOURCES];
	size_t n_source; /* lists that the kernel does not have are left out */
	struct elfplace holder; /* in a lock */
	bool locks;		/* it has all that tells of locks */
	struct elfplace member[MEMBERS], current, reg[OS_REGISTERS];
	struct {
		uint64_t value;
		enum trace_state is;
	} state[OS_STATES];
	size_t n_state;
	uint64_t size; /* of what is read of a structure */
};

/*
 * `word`: bytes of a pointer. False, with what is missing in *why (static), if
 * the file does not have it. *why is NULL before.
 */
bool places_find(struct places *p, const struct os_threads *os,
    const struct elfsym *kernel, unsigned word, const char **why);

#endif
