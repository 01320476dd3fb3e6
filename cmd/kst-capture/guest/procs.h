/* SPDX-License-Identifier: ISC */
/*
 * Which process a CPU in user mode is running, and its program: a file that is
 * known by the hash (XXH3-64) of its .text.
 */
#ifndef PROCS_H
#define PROCS_H

#include "os/osfile.h"
#include "guest/vcpu.h"
#include "unwind/unwind.h"

struct procs;

/*
 * Programs are sought among the ELF files of a folder, unless that is NULL;
 * other files there are passed over. Returns NULL after a message when the
 * folder cannot be read. r must stay.
 */
struct procs *procs_new(const struct osfile *os, const char *dir,
    struct unwinder *u, const struct reader *r);
void procs_free(struct procs *p);

/*
 * The program of the process that the metadata of the CPU describe,
 * of no name if nothing is known of it, and c->pid; a new one is identified by
 * its .text. NULL without metadata. Valid until the next call.
 */
const struct program *procs_find(struct procs *p, struct vcpu *c);

#endif
