/* SPDX-License-Identifier: ISC */
/* Whether an ELF file is the kernel that the guest runs. */
#ifndef ELFCHECK_H
#define ELFCHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elfsym;
struct target;

typedef int elfcheck_read(
    void *arg, uint64_t addr, unsigned char *to, size_t len);

struct elfcheck {
	int places, equal; /* that could be read; that are as in the file */
};

/*
 * Compares the code in the guest's memory with that of an ELF file, where its
 * symbols say that it is, at a few places; `read` gets len bytes at an address,
 * or returns -1. A kernel that patches its code differs here and there: half
 * of the places are enough. A file without code fits.
 */
bool elfcheck_fits(struct elfsym *code, elfcheck_read *read, void *arg,
    struct elfcheck *result);

/* The message that a file does not. */
void elfcheck_refuse(const char *path, const struct elfcheck *result);

/*
 * Both, for the target's first file, if that is asked for. Code that cannot be
 * read at all is not a reason to refuse it: all CPUs may be in user mode.
 * Returns -1 after the message.
 */
int elfcheck(const struct target *t, elfcheck_read *read, void *arg);

#endif
