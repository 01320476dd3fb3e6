/* SPDX-License-Identifier: ISC */
/*
 * What the backends without gdb share: all but their protocols. The state of
 * such a backend begins with a struct native.
 */
#ifndef NATIVE_H
#define NATIVE_H

#include <stdbool.h>
#include <stddef.h>
#include "guest/backend.h"
#include "native/sampler.h"
#include "unwind/unwind.h"

struct wire;

struct native {
	struct sampler s; /* its arg is the state */
	/* Set by the protocol when it meets the guest. */
	struct wire *w;
	const char *kind; /* what it samples; NULL: QEMU */
	bool stands;	  /* it has stopped a guest that shall run */
	/* private */
	struct unwinder *u;
};

/*
 * A state of `size` bytes, all zero but for the struct native; the guest is met
 * and runs. NULL after a message.
 */
void *native_open(
    size_t size, const struct sampler_ops *ops, const struct target *t);

/* As struct backend has them. */
enum sampled native_sample(void *state, struct sample *s);
enum sampled native_idle(void *state, uint64_t deadline);
int native_close(void *state, bool hurry);

/* Somebody else has stopped the guest: it is left so. Says why; returns -1. */
int native_foreign(struct native *n);

/*
 * Writes the CPUs' stacks, the last one first as gdb does, and counts them.
 * SAMPLE_FAILED: there was no CPU to look at.
 */
enum sampled native_write(const struct native *n, struct sample *s);

#endif
