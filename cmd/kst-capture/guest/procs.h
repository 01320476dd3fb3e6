/* SPDX-License-Identifier: ISC */
/*
 * Which process a CPU in user mode is running.
 */
#ifndef PROCS_H
#define PROCS_H

#include "guest/osfile.h"
#include "guest/programs.h"
#include "unwind/unwind.h"
#include "guest/vcpu.h"

struct process {
	uint64_t pid;
	const struct program *program; /* NULL: nothing is known of it */
};

struct procs;

/* Reads n bytes of the CPU's memory while the guest is stopped. */
typedef int procs_read(
    void *arg, struct vcpu *c, uint64_t addr, uint8_t *to, size_t n);

/* `programs` may be NULL; names: look up symbols. */
struct procs *procs_new(const struct osfile *os, struct programs *programs,
    struct unwinder *u, bool names);
void procs_free(struct procs *p);

/*
 * The process that the metadata in the CPU's snapshot describe; a new one is
 * identified by its .text, which `read` gives. NULL when there are none. Lives
 * as long as p.
 */
const struct process *procs_find(
    struct procs *p, struct vcpu *c, procs_read *read, void *arg);

#endif
