/* SPDX-License-Identifier: ISC */
/*
 * What the backends without gdb share: everything except their protocols. A
 * sample is: stop, registers, stacks, go. The stacks are unwound while the
 * guest is stopped, from memory that is read as the unwinder asks for it.
 */
#ifndef SAMPLER_H
#define SAMPLER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "guest/backend.h"
#include "guest/procs.h"
#include "guest/vcpu.h"
#include "memory/memory.h"
#include "unwind/unwind.h"
#include "wire/stood.h"

/* Bytes that a block of memory is fetched in. */
enum { SAMPLER_BLOCK = 0x800 };

struct sampler_read {
	uint32_t cpu, len;
	uint64_t addr; /* what is kept as it, */
	uint64_t at;   /* and where it is read */
};

struct outside;
struct wire;

/*
 * What a protocol does. `arg` is its state, which begins with a struct sampler.
 * Each function returns -1 if no more samples can be taken.
 */
struct sampler_ops {
	/* Connects, finds out what the guest is, and adds its CPUs. */
	int (*meet)(void *arg, const struct target *t);
	/*
	 * Takes what has come without being asked for: others stop a guest, or
	 * end it. Reads only if something is `readable`.
	 */
	int (*look)(void *arg, bool readable);
	/*
	 * Stops the guest, fills in ok and regs of each CPU; extra as well, or
	 * in go() that of CPUs with `asked`.
	 */
	int (*stop)(void *arg);
	/*
	 * Adds memory to the snapshots, in order. What cannot be read is left
	 * out.
	 */
	int (*read)(void *arg, const struct sampler_read *list, size_t n);
	/*
	 * Lets the guest run, by a write of its own, so that the time of that
	 * write says when it went. Not called for a guest that was paused.
	 */
	int (*go)(void *arg);
	/*
	 * Resumes the guest, unless it was paused, and closes. -1 if QEMU does
	 * not answer.
	 */
	int (*leave)(void *arg);
	/*
	 * Between stop() and go(): sets regs.spare of a CPU, as far as it is
	 * told. NULL: nothing is.
	 */
	int (*spare)(void *arg, struct vcpu *c);
};

/* What is spoken over, until the guest is left. */
struct connection {
	const struct sampler_ops *ops;
	/* Set by the protocol when it meets the guest. */
	struct wire *w;
	const char *kind; /* what it samples; NULL: QEMU */
	bool stands;	  /* it has stopped a guest that shall run */
	bool hold;	  /* the guest was paused before: never let it go */
	size_t chunk;	  /* bytes that one read can have */
	struct outside *outside; /* QEMU's process; NULL: it cannot be read */
	struct monitor monitor;
	struct stood stood;
	uint64_t remap, pause; /* when memory is sought again; then later */
};

/* What is known of the guest. */
struct guest {
	const struct unwind_abi *abi;
	struct unwinder *u;
	uint64_t kernel_base;	 /* lower addresses are user mode */
	struct procs *procs;	 /* NULL: no OS file tells processes apart */
	struct images *images;	 /* of the kernel and of programs */
	struct modules *modules; /* NULL: the kernel is not Linux' */
	bool programs;	      /* a program counter tells the place of some, */
	bool unsure;	      /* and not yet that of the kernel's file */
	unsigned wait, waits; /* samples until that is looked at, and then */
	bool again;	      /* a CPU was reset: the kernel may be elsewhere */
	bool rebooted;	      /* QEMU has said so since the last sample */
	bool refused;	      /* another kernel runs, which was said */
	struct code code;
	struct reader reader; /* of the CPU that is looked at: reads_now() */
};

/* One sample, from the request to stop on. */
struct shot {
	struct vcpu *cpu;
	size_t n_cpu;
	struct stop stop;  /* set by the protocol */
	uint64_t stopped;  /* for how long, in ns */
	bool left;	   /* the kernel was found, but no CPU is in it now */
	bool failed;	   /* memory that the protocol was to read */
	struct vcpu *now;  /* whose stack is unwound while it stands still */
	struct vcpu *view; /* by which threads are read; NULL: not now */
};

/* Threads that are not on a CPU. */
struct asleep {
	struct threads *threads; /* of Linux; NULL: not asked for */
	struct listed *listed;	 /* as an OS file tells; or NULL */
	struct vcpu *sleeper;	 /* room for one of them */
	struct vcpu *whole;	 /* a CPU with the kernel's tables, too */
	bool files;		 /* there are more than at the last sample */
	uint64_t blind;		 /* samples without them, of which so many... */
	uint64_t early;		 /* ...came before the first one with them */
	bool seen;		 /* there was one with them */
	bool crowd;		 /* there are more than are read */
};

struct sampler {
	const struct target *t;
	struct connection conn;
	struct guest guest;
	struct shot shot;
	struct asleep asleep;
	uint64_t samples; /* so far */
};

/*
 * Finds out whether the kernel's file is the running one, by stopped CPUs that
 * are in the kernel. Returns 0 if it is, 1 if no CPU can tell, -1 if it is not.
 */
int sampler_confirm(struct sampler *s);

/* Takes a sample. */
int sampler_take(struct sampler *s);

#endif
