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
	struct elfsym *sym; /* NULL: addresses only */
	struct programs *programs;
	struct procs *procs;
	bool all_addresses;
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
 * Whether the ELF file is the running kernel, as elfcheck.h says; the guest's
 * memory can be read now.
 */
int native_check(const struct target *t, struct sampler *s);

/*
 * Writes the CPUs' stacks, the last one first as gdb does, and counts them.
 * SAMPLE_FAILED: there was no CPU to look at.
 */
enum sampled native_write(
    const struct native *n, const struct sampler *from, struct sample *s);

#endif
