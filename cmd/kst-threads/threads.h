/* SPDX-License-Identifier: ISC */
/* Shows the CPUs and threads of one capture, equal stacks together. */
#ifndef THREADS_H
#define THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "opt/opt.h"
#include "trace/trace.h"

struct table;

struct options {
	struct opt_list elf;
	const char *remote;
	enum trace_state state;
	bool no_threads, brief;
};

/* A stack of the capture: its frames are names of the table, root first. */
struct thread {
	uint32_t name, state;
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
 * first. brief: each stack on one line.
 */
void show(struct capture *c, bool brief);

/* run.c: returns the exit status. */
int run(const struct options *o, char **operands, int n);

#endif
