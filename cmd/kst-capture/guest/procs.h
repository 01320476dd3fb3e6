/* SPDX-License-Identifier: ISC */
/*
 * Finds which process a CPU in user mode is running, and its program: a file
 * that is known by the hash (XXH3-64) of its .text.
 */
#ifndef PROCS_H
#define PROCS_H

#include "os/osfile.h"
#include "guest/vcpu.h"
#include "unwind/unwind.h"

struct procs;

/*
 * Programs are looked for among the ELF files of a folder, unless that is NULL;
 * other files there are skipped. Returns NULL after a message if the folder
 * cannot be read. r must not move.
 */
struct procs *procs_new(const struct osfile *os, const char *dir,
    struct unwinder *u, const struct reader *r);
void procs_free(struct procs *p);

/*
 * The program of the process that the CPU's metadata describe, and c->pid. A
 * new program is identified by its .text; if nothing is known about it, it has
 * no name. NULL without metadata. Valid until the next call.
 */
const struct program *procs_find(struct procs *p, struct vcpu *c);

#endif
