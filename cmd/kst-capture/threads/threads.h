/* SPDX-License-Identifier: ISC */
/*
 * Linux' threads that are not on a CPU, and their stacks in the kernel, which
 * are frozen: they are read while the guest stands or runs. Where the members
 * of a task are is in the BTF of the kernel's file.
 */
#ifndef THREADS_H
#define THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/trace.h"
#include "unwind/unwind.h"

/* The most that are read of a guest. */
enum { THREADS_MAX = 1 << 15 };

struct elfsym;

struct thread {
	uint64_t task, pid, tgid;
	uint64_t switches; /* how often it was taken off a CPU */
	uint64_t sp;	   /* where its registers are kept */
	enum trace_state state;
	bool ran;	  /* since the first time it was read */
	char comm[16];	  /* its name, with a NUL */
	char process[16]; /* that of its process */
	struct unwind_frame *frame;
	size_t n;
	enum unwind_end end;
	uint64_t bad; /* as in struct unwind_stack */
};

/* What the guest is read and unwound with. */
struct threads_guest {
	void *arg;
	/* Reads the kernel's memory; -1: it cannot be read. */
	int (*read)(void *arg, uint64_t addr, uint8_t *to, size_t n);
	void (*unwind)(void *arg, const struct unwind_regs *regs,
	    unwind_read *read, void *read_arg, struct unwind_stack *st);
};

struct threads;

/* NULL, with what is missing in *why (static), if the file does not tell. */
struct threads *threads_new(
    struct elfsym *kernel, enum unwind_arch arch, const char **why);
void threads_free(struct threads *t);

/* Whether the task list is at its place, as the guest's memory is read. */
bool threads_found(const struct threads *t, const struct threads_guest *g);

/*
 * Reads all threads. A thread that has not run since it was read before keeps
 * its stack; what changed while it was read is read again, or is left out.
 * Returns -1, with none, when the list could not be followed to its end.
 */
int threads_take(struct threads *t, const struct threads_guest *g);

/* Those of the last threads_take(), in the order of the list. */
const struct thread *threads_get(const struct threads *t, size_t *n);

/* A sample without any: threads_get() has none. */
void threads_none(struct threads *t);

/* Whether there were more than THREADS_MAX. */
bool threads_cut(const struct threads *t);

#endif
