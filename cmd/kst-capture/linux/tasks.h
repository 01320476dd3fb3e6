/* SPDX-License-Identifier: ISC */
/*
 * Linux' processes, and the files that they have mapped, read from the guest's
 * memory. Where its structures have their members is in the BTF of the kernel's
 * file, and where a CPU's current task is in its symbols.
 */
#ifndef TASKS_H
#define TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest/vcpu.h"

struct tasks;

/* NULL, with what is missing in *why (static), if the file does not tell. */
struct tasks *tasks_new(struct elfsym *kernel, const char **why);
void tasks_free(struct tasks *t);

/*
 * The process that CPU number `cpu` is in: c->pid, and its thread's name,
 * c->comm. false: none, or it cannot be read. It reads the mappings by r, too.
 */
bool tasks_enter(
    struct tasks *t, size_t cpu, struct vcpu *c, const struct reader *r);

/* What a process has at an address. */
struct mapping {
	uint64_t space, start, end;
	char *path; /* from the root of its file system; NULL: no file */
	struct program program; /* the caller's; of no name at first */
};

/*
 * That of the CPU's process since tasks_enter(), which is read only once; NULL:
 * nothing. Valid until the next call.
 */
struct mapping *tasks_mapping(
    struct tasks *t, const struct vcpu *c, uint64_t addr);

#endif
