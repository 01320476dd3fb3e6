/* SPDX-License-Identifier: ISC */
/* Private to the plugin: the files that it fills. */
#ifndef RESULT_H
#define RESULT_H

#include <stdbool.h>
#include <stdint.h>

#include "plugin/request.h"

struct flow_cpu;
struct live;

/*
 * Opens the files by the plugin's arguments, and reads what is asked for, for
 * which it waits if that depends on QEMU's kernel. Ends QEMU if that fails.
 * Returns what live_open() does.
 */
struct live *result_open(int argc, char **argv, struct request *asked);

/* Writes what was counted, and begins the next piece of time. */
void result_piece(void);

/* Instructions in the range at which this piece of time ends. */
uint64_t result_piece_end(void);

struct result_end {
	enum end_why why;
	bool begun;	  /* the range has */
	uint64_t counted; /* instructions in it */
	uint64_t time;	  /* instructions executed */
	bool seen;	  /* the file's code was, ... */
	uint64_t by;	  /* ... moved by so much, */
	bool home;	  /* ... and then where it is linked */
	struct flow_cpu *const *cpu, *running;
};

/*
 * Writes all, and how it ended; the last line tells that the file is whole.
 */
void result_end(const struct result_end *e);

#endif
