/* SPDX-License-Identifier: ISC */
/* Whether an ELF file is the kernel that the guest runs. */
#ifndef ELFCHECK_H
#define ELFCHECK_H

#include <stddef.h>
#include <stdint.h>

struct target;

/*
 * Compares the code in the guest's memory with that of t->elf at a few
 * places; `read` gets len bytes at an address, or returns -1. A kernel that
 * patches its code differs here and there: half of the places are enough.
 * Returns 0 when it fits, or is not asked for, or -1 after a message.
 */
int elfcheck(const struct target *t,
    int (*read)(void *arg, uint64_t addr, unsigned char *to, size_t len),
    void *arg);

#endif
