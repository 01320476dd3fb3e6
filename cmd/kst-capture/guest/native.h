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
	bool modes; /* say whether a stack is the kernel's or a process's */
};

/*
 * Loads the target's ELF files, if any, and prepares the sampler to tell
 * processes apart. Returns -1 after a message.
 */
int native_open(struct native *n, const struct target *t, enum unwind_arch arch,
    struct sampler *s);
void native_close(struct native *n);

/*
 * Whether the ELF file is the running kernel: stops the guest for that, a few
 * times if need be. All its CPUs may be in user mode each time, where nothing
 * tells; then it is looked for in the samples. Returns 0, or -1 after a message
 * when it is not, or 1 when the conversation has failed.
 */
int native_check(const struct native *n, struct sampler *s);

/*
 * Writes the CPUs' stacks, the last one first as gdb does, and counts them.
 * SAMPLE_FAILED: there was no CPU to look at.
 */
enum sampled native_write(
    const struct native *n, const struct sampler *from, struct sample *s);

#endif
