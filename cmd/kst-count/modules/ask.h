/* SPDX-License-Identifier: ISC */
/*
 * Private to the room: what the plugin, the process that reads modules, and the
 * command say to each other. All messages have one size, of which pipes write
 * all or nothing, so that one process may end at any time.
 */
#ifndef ASK_H
#define ASK_H

#include <stdbool.h>
#include <stdint.h>

#include "linux/modules.h"
#include "trace/record.h"

enum ask_kind {
	/* To the process that reads modules. */
	ASK_KERNEL, /* its file, as elfsym_load() takes it, is this text */
	ASK_FIND,   /* what is at addr? The kernel has moved itself by `by`. */
	ASK_BYTES,  /* n bytes that it has asked for */
	ASK_FAILED, /* they cannot be read */
	ASK_END,    /* write the file */
	/* From there. */
	ASK_READ,   /* n bytes at addr are needed */
	ASK_ANSWER, /* a struct ask_answer */
	ASK_DONE    /* the file has n functions */
};

/* The module at an address, and where functions that were asked for are. */
struct ask_answer {
	bool found;
	struct module_place place;
	/* As programs_apart(); 0: not in this module. */
	uint64_t from, until, in;
	uint32_t n_only;
	uint64_t only[TRACE_ONLY];
};

struct ask {
	uint32_t kind, n;
	uint64_t addr, by;
	union {
		uint8_t bytes[4064];
		struct ask_answer answer;
	};
};

/* False: nobody is left who could take it. */
bool ask_send(int fd, const struct ask *a);

/* Waits for a message. False: nobody is left who could send one. */
bool ask_take(int fd, struct ask *a);

#endif
