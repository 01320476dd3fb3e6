/* SPDX-License-Identifier: ISC */
/*
 * A sample, whatever the protocol: stop, registers, stacks, go. How much of a
 * stack to read is learnt from the stacks that were unwound to their ends
 * before, so that the guest need not wait for the unwinding; a CPU on a stack
 * not seen before is unwound while the guest stands still, once.
 */
#ifndef SAMPLER_H
#define SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "guest/osfile.h"
#include "guest/procs.h"
#include "memory/code.h"
#include "memory/snap.h"
#include "unwind/unwind.h"
#include "guest/vcpu.h"

/* Bytes that a block of memory is fetched in. */
enum { SAMPLER_BLOCK = 0x800 };

struct sampler_read {
	uint32_t cpu, len;
	uint64_t addr; /* what is kept as it, */
	uint64_t at;   /* and where it is read */
};

/* What a kernel's stack needed besides it: the code and stack of a program. */
enum { HABITS = 512, HABIT_READS = 4 };

struct habit {
	uint64_t top; /* where the stack ends */
	struct sampler_read read[HABIT_READS];
	size_t next; /* the place for a new one */
};

struct target;

/* What a protocol does. Each returns -1 when no more samples can be taken. */
struct sampler_ops {
	/* Connects, finds out what the guest is, and adds its CPUs. */
	int (*meet)(void *arg, const struct target *t);
	/* Takes what has come unasked: others stop a guest, or end it. */
	int (*look)(void *arg);
	/*
	 * Stops the guest, fills in ok, regs and extra of each CPU, and reads
	 * the memory of the list, as `read` does, in the same exchange.
	 */
	int (*stop)(void *arg, const struct sampler_read *list, size_t n);
	/*
	 * Adds memory to the snapshots, in order; what cannot be read is left
	 * out. `go`: lets the guest run as soon as it is read.
	 */
	int (*read)(
	    void *arg, const struct sampler_read *list, size_t n, bool go);
	int (*go)(void *arg);
	/*
	 * Sets the guest running, unless it was paused, and closes. -1 when
	 * QEMU does not answer.
	 */
	int (*leave)(void *arg);
};

struct sampler {
	const struct target *t;
	const struct sampler_ops *ops;
	void *arg;
	const struct unwind_abi *abi;
	size_t chunk; /* bytes that one read can have */
	bool guess;   /* an exchange costs more than memory not needed */
	uint64_t kernel_base;	 /* lower addresses are user mode */
	const struct osfile *os; /* NULL: processes are not told apart */
	struct procs *procs;
	struct images *images; /* of the kernel and of programs */
	bool hold; /* the guest was paused before: never let it go */
	struct vcpu *cpu;
	size_t n_cpu;
	uint64_t stopped_at; /* set by the protocol, in clock_now()'s time */
	uint64_t told;	     /* for how long, as QEMU has it; 0: not told */
	uint64_t stopped;    /* for how long, of the last sample, in ns */
	/* private */
	struct extents stacks;
	struct code code;
	struct habit habit[HABITS];
	struct vcpu *now; /* whose stack is unwound while it stands still */
	bool refused;	  /* another kernel runs, which was said */
	struct sampler_read *list;
	size_t n_list, cap_list;
};

void sampler_done(struct sampler *s);

/* Takes all CPUs away. */
void sampler_forget(struct sampler *s);

/* Appends a CPU, zeroed. */
struct vcpu *sampler_add(struct sampler *s);

/*
 * For unwind_settings, with the sampler as arg: code as it is in memory, while
 * the guest runs what was read before; and the program that a stack of a CPU
 * that stands still has come to.
 */
size_t sampler_code(void *s, uint64_t addr, uint8_t *to, size_t n);
bool sampler_find(void *s, uint64_t addr, uint64_t sp);

/* Looks which process a stopped CPU in user mode is in, before its stack. */
void sampler_process(struct sampler *s, struct vcpu *c);

/* Whether a CPU is in user mode, as far as its registers tell. */
static inline bool
sampler_in_user(const struct sampler *s, const struct vcpu *c)
{
	if (c->regs.mode != UNWIND_MODE_UNKNOWN)
		return c->regs.mode == UNWIND_MODE_USER;
	return c->regs.r[s->abi->pc] < s->kernel_base;
}

/*
 * Looks whether the kernel's file is the running one, in stopped CPUs that are
 * in the kernel. Returns 0 when that is known, 1 when no CPU can tell, -1 when
 * it is not.
 */
int sampler_confirm(struct sampler *s);

/* Takes one. */
int sampler_take(struct sampler *s, struct unwinder *u);

#endif
