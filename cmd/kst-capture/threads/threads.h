/* SPDX-License-Identifier: ISC */
/*
 * Reads Linux' threads that are not on a CPU, and their stacks in the kernel.
 * These stacks do not change, so they can be read while the guest is stopped or
 * runs. The BTF of the kernel's file says where a task has its members.
 */
#ifndef THREADS_H
#define THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest/vcpu.h"
#include "trace/trace.h"
#include "unwind/unwind.h"

/* How many threads are read at most. */
enum { THREADS_MAX = 1 << 15 };

struct elfsym;

struct thread {
	uint64_t task, pid, tgid;
	uint64_t switches; /* how often it was taken off a CPU */
	uint64_t sp;	   /* where its registers are kept */
	uint64_t holder;   /* number of who has the lock it waits for, or 0 */
	bool ended;	   /* there is no such thread any more */
	enum trace_state state;
	bool ran;	  /* since the first time it was read */
	char comm[16];	  /* its name, with a NUL */
	char process[16]; /* that of its process */
	struct unwind_frame *frame;
	size_t n;
	/* Set by unwind(): that of a process; the files its frames are in. */
	bool entered;
	struct program *program;
	size_t n_program;
	enum unwind_end end;
	uint64_t bad; /* as in struct unwind_stack */
};

/* What the guest is read and unwound with. */
struct threads_guest {
	void *arg;
	/* Reads the kernel's memory; -1: it cannot be read. */
	int (*read)(void *arg, uint64_t addr, uint8_t *to, size_t n);
	/* `read` has the thread's stack in the kernel; owns th->program. */
	void (*unwind)(void *arg, struct thread *th,
	    const struct unwind_regs *regs, unwind_read *read, void *read_arg,
	    struct unwind_stack *st);
	bool stands; /* the guest is stopped */
	bool files;  /* there are more than before: programs are read again */
};

struct threads;

/*
 * Returns NULL, with what is missing in *why (static), if the file does not
 * have what is needed.
 */
struct threads *threads_new(
    struct elfsym *kernel, enum unwind_arch arch, const char **why);
void threads_free(struct threads *t);

/*
 * Whether the task list is where it should be, as far as the guest's memory is
 * readable.
 */
bool threads_found(const struct threads *t, const struct threads_guest *g);

/*
 * Reads all threads. A thread that has not run since it was last read keeps its
 * stack. A thread that changed while it was read is read again, or left out.
 * Returns -1, without any thread, if the list could not be followed to its end.
 */
int threads_take(struct threads *t, const struct threads_guest *g);

/* The threads of the last threads_take(), in the order of the list. */
const struct thread *threads_get(const struct threads *t, size_t *n);

/* Makes a sample without threads: threads_get() returns none. */
void threads_none(struct threads *t);

/* Whether there were more than THREADS_MAX. */
bool threads_cut(const struct threads *t);

#endif
