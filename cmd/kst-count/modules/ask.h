/* SPDX-License-Identifier: ISC */
/*
 * Private to the room: what the plugin, the process that reads modules, and the
 * command say to each other. All messages have one size, of which pipes write
 * all or nothing, so that one process may end at any time.
 */
#ifndef ASK_H
#define ASK_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

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

static inline bool
ask_send(int fd, const struct ask *a)
{
	ssize_t n;

	do
		n = write(fd, a, sizeof *a);
	while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof *a;
}

/* Waits for a message. False: nobody is left who could send one. */
static inline bool
ask_take(int fd, struct ask *a)
{
	size_t done = 0;
	ssize_t n = 1;

	while (done < sizeof *a && (n > 0 || (n < 0 && errno == EINTR))) {
		n = read(fd, (char *)a + done, sizeof *a - done);
		done += n > 0 ? (size_t)n : 0;
	}
	return done == sizeof *a && a->n <= sizeof a->bytes;
}

#endif
