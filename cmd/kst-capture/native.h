/* SPDX-License-Identifier: ISC */
/*
 * What the backends without gdb share: unwinding by the kernel's ELF file, and
 * writing stacks as gdb would.
 */
#ifndef NATIVE_H
#define NATIVE_H

#include <stddef.h>
#include "backend.h"
#include "elfsym.h"
#include "unwind.h"
#include "vcpu.h"

struct native {
	struct unwinder *u;
	struct elfsym *sym; /* NULL: addresses only */
};

/* Loads the target's ELF file, if any. Returns -1 after a message. */
int native_open(
    struct native *n, const struct target *t, enum unwind_arch arch);
void native_close(struct native *n);

/* Writes the CPUs' stacks, the last one first as gdb does, and counts them. */
void native_write(
    struct native *n, const struct vcpu *cpu, size_t n_cpu, struct sample *s);

#endif
