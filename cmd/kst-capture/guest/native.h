/* SPDX-License-Identifier: ISC */
/*
 * What the backends without gdb share: unwinding by the kernel's ELF file, and
 * writing stacks as gdb would.
 */
#ifndef NATIVE_H
#define NATIVE_H

#include <stddef.h>
#include "guest/backend.h"
#include "elf/elfsym.h"
#include "guest/procs.h"
#include "guest/programs.h"
#include "guest/sampler.h"
#include "unwind/unwind.h"
#include "guest/vcpu.h"

struct native {
	struct unwinder *u;
	struct images *images;
	struct programs *programs;
	struct procs *procs;
	bool raw, all_addresses;
	unsigned digits; /* of an address */
	bool modes; /* say whether a stack is the kernel's or a process's */
};

/*
 * Loads the target's ELF files, if any, and prepares the sampler, whose abi is
 * known, to tell processes apart. Then sets a guest running that is to be
 * started, or checks whether the ELF file is the running kernel: the guest is
 * stopped for that, a few times if need be. All its CPUs may be in user mode
 * each time, where nothing tells; then it is looked for in the samples.
 * Returns 0, -1 after a message, or 1 when the conversation has failed.
 */
int native_open(struct native *n, const struct target *t, struct sampler *s);
void native_close(struct native *n);

/* Says that the guest is paused and, if verbose, what it is. */
void native_say(const struct sampler *s, bool verbose);

/* The conversation has failed: says why, unless a second signal was it. */
enum sampled native_lost(const struct sampler *s, bool hurry, const char *why);

/*
 * Whether the kernel's code has been seen by now, for a guest that was started
 * by us. Returns -1 after a message when it has not.
 */
int native_seen(const struct native *n, const struct sampler *s);

/*
 * Writes the CPUs' stacks, the last one first as gdb does, and counts them.
 * SAMPLE_FAILED: there was no CPU to look at.
 */
enum sampled native_write(
    const struct native *n, const struct sampler *from, struct sample *s);

#endif
