/* SPDX-License-Identifier: ISC */
/*
 * Reads Linux' processes, and the files that they have mapped, from the guest's
 * memory. The BTF of the kernel's file says where structures have their
 * members; its symbols say where a CPU's current task is.
 */
#ifndef TASKS_H
#define TASKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest/vcpu.h"

struct tasks;

/*
 * Returns NULL, with what is missing in *why (static), if the file does not
 * have what is needed.
 */
struct tasks *tasks_new(struct elfsym *kernel, const char **why);
void tasks_free(struct tasks *t);

/*
 * Whether tasks_enter() can tell anything: a CPU of riscv has its task in a
 * register, and only tasks_thread() does.
 */
bool tasks_of_cpus(const struct tasks *t);

/*
 * The process that CPU number `cpu` is in: sets c->pid and, to its thread's
 * name, c->comm; reads its mappings by r, too. False: there is none, or it
 * cannot be read.
 */
bool tasks_enter(
    struct tasks *t, size_t cpu, struct vcpu *c, const struct reader *r);

/*
 * The same of a thread that is not on a CPU, by its task_struct. Sets *pgd to
 * where the kernel has the first of the process's page tables.
 */
bool tasks_thread(struct tasks *t, uint64_t task, struct vcpu *c,
    const struct reader *r, uint64_t *pgd);

/* What a process has at an address. */
struct mapping {
	uint64_t space, start, end;
	char *path; /* from the root of its file system; NULL: no file */
	struct program program; /* the caller's; at first it has no name */
};

/*
 * The mapping at an address, of the CPU's process since tasks_enter(), which is
 * read only once. NULL: nothing is mapped there. Valid until the next call.
 */
struct mapping *tasks_mapping(
    struct tasks *t, const struct vcpu *c, uint64_t addr);

#endif
