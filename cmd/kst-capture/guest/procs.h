/* SPDX-License-Identifier: ISC */
/*
 * Which process a CPU in user mode is running, and its program: a file that is
 * known by the hash (XXH3-64) of its .text.
 */
#ifndef PROCS_H
#define PROCS_H

#include <stdint.h>
#include "guest/osfile.h"
#include "guest/vcpu.h"
#include "unwind/unwind.h"

struct process {
	uint64_t pid;
	struct program program; /* of no name: nothing is known of it */
};

struct procs;

/*
 * Programs are sought among the ELF files of a folder, unless that is NULL;
 * other files there are passed over. Returns NULL after a message when the
 * folder cannot be read.
 */
struct procs *procs_new(
    const struct osfile *os, const char *dir, struct unwinder *u);
void procs_free(struct procs *p);

/*
 * The process that the metadata in the CPU's snapshot describe; a new one is
 * identified by its .text, which `read` gives. NULL when there are none. Valid
 * until the next call.
 */
const struct process *procs_find(
    struct procs *p, struct vcpu *c, vcpu_read *read, void *arg);

#endif
