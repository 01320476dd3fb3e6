/* SPDX-License-Identifier: ISC */
/* Shows the CPUs and threads of one capture, equal stacks together. */
#ifndef THREADS_H
#define THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "opt/opt.h"
#include "trace/trace.h"

struct table;

struct options {
	struct opt_list elf;
	const char *remote, *sysroot, *os;
	enum trace_state state;
	bool no_threads, brief, lines;
};

/* A stack of the capture: its frames are names of the table, root first. */
struct thread {
	uint32_t name, state;
	uint32_t why; /* its end is not a root; an empty name: it is */
	size_t at, n; /* of capture.frames */
	bool is_cpu;
	size_t place; /* in the capture, then after it was sorted */
};

struct capture {
	struct table *table;
	struct thread *v;
	size_t n, cap;
	uint32_t *frames; /* of all threads */
	size_t n_frames, frames_cap;
	uint64_t number; /* of the capture */
};

/*
 * Writes the stacks, equal ones once, with who has them and in which state:
 * first CPUs that run, then other CPUs, then threads, the most common stack
 * first. o->brief: each stack on one line. o->lines: after a tab, frames have
 * places. Returns whether a frame had a line.
 */
bool show(struct capture *c, const struct options *o);

/*
 * A thread's name without its number, empty if it has only that. False: it has
 * no number up to 64 bits.
 */
bool thread_name(const struct capture *c, const struct thread *t,
    struct piece *name, uint64_t *number);

/*
 * Reports circles of threads that wait for one another's locks, or one that
 * waits for its own, by the frames `[lock of pid 7, sh]`: the first ones, and
 * how many more there are. Its time is that of sorting the threads.
 */
void deadlocks(const struct capture *c);

/* run.c: returns the exit status. */
int run(const struct options *o, char **operands, int n);

#endif
