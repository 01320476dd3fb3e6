/* SPDX-License-Identifier: ISC */
/*
 * What a way of sampling a guest provides.
 *
 * The contract that matters: whatever happens, the guest runs on. It runs when
 * open() has returned, between samples, and after close(), even if an operation
 * has failed. A guest that somebody else has paused stays paused, unless it is
 * to be started.
 */
#ifndef BACKEND_H
#define BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest/sample.h"
#include "opt/opt.h"
#include "wire/address.h"

struct elfsym;
struct osfile;
struct tasks;

/* Threads that are not on a CPU: their whole stacks, or those that ran. */
#define THREADS(X)                \
	X(THREADS_NONE, "none")   \
	X(THREADS_RAN, "waiting") \
	X(THREADS_ALL, "all")     \
	X(THREADS_TRY, "try")     \
	X(THREADS_TRY_RAN, "try-waiting")
enum { THREADS(OPT_ID) };

/* A readable ELF file of something that runs in the guest. */
struct target_image {
	struct elfsym *sym;
	bool placed; /* its symbols are moved to where it is */
};

struct target {
	struct address addr; /* where the guest's stub or monitor listens */
	struct target_image *image; /* the first one is the kernel */
	size_t n_image;
	const char *gdb;  /* --gdb: a path or a name to look up */
	uint64_t timeout; /* ns, for any single wait */
	bool paused;	  /* the guest is paused, and stays so */
	bool start;	  /* it is paused: resume it; firmware comes first */
	bool check;	  /* refuse an ELF that is not the running kernel */
	bool verbose;
	bool told; /* a summary says whether the guest has ended or stopped */

	/* For the backends that unwind themselves. */
	uint64_t stack_bytes;	 /* of each stack; 0: as many as it needs */
	bool raw;		 /* addresses without names */
	bool no_server;		 /* debuginfod is not asked for files */
	bool all_addresses;	 /* of frames around inlined calls, too */
	bool skid;		 /* show it */
	const char *shared_dir;	 /* qmp: where QEMU can write memory; or NULL */
	uint64_t kernel_base;	 /* lower addresses are user mode; 0: guess */
	bool no_kernel, no_user; /* whose stacks are not wanted */
	struct osfile *os;	 /* how processes are told; NULL: not */
	const char *user_dir;	 /* their program files; or NULL */
	const char *sysroot;	 /* the guest's file system; or NULL */
	struct tasks *tasks;	 /* Linux' processes; NULL: not told */
	unsigned threads;	 /* those to be written: THREADS */
};

enum sampled {
	SAMPLE_OK,
	SAMPLE_FAILED, /* nothing usable this time; the next may work */
	/* No more samples; a message says why, unless a summary will. */
	SAMPLE_LOST,	 /* there are no answers any more */
	SAMPLE_GONE,	 /* the guest has ended */
	SAMPLE_STOPPED,	 /* somebody else has stopped it */
	SAMPLE_REBOOTED, /* and the same kernel may not be there again */
	SAMPLE_OTHER,	 /* another kernel runs */
	SAMPLE_HURRY	 /* a second signal came */
};

struct backend {
	const char *name;
	unsigned hz; /* samples a second, unless another rate is asked for */

	/* Attaches and lets the guest run. NULL after a message. */
	void *(*open)(const struct target *t);

	/* Stops the guest, fills *s (emptied first), resumes it. */
	enum sampled (*sample)(void *state, struct sample *s);

	/*
	 * Waits until `deadline` (clock_now()), and notices meanwhile if the
	 * guest goes away. Returns SAMPLE_OK at the deadline or at the first
	 * signal, else why there are no more samples.
	 */
	enum sampled (*idle)(void *state, uint64_t deadline);

	/*
	 * Detaches, and frees the state. `hurry`: at once, waiting only until
	 * the guest runs. Returns -1 after a message if the guest could not be
	 * resumed, or has not come to its kernel.
	 */
	int (*close)(void *state, bool hurry);
};

extern const struct backend backend_gdb;
extern const struct backend backend_rsp;
extern const struct backend backend_qmp;

#endif
