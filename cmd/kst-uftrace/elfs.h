/* SPDX-License-Identifier: ISC */
/* The ELF files that the user gives for symbols. */
#ifndef ELFS_H
#define ELFS_H

#include <stdbool.h>
#include <stdint.h>

struct elfs;
struct func;

struct elfs *elfs_new(void);
void elfs_free(struct elfs *e);

/* A file as elfsym_load() takes it; -1 after a message. */
int elfs_add(struct elfs *e, const char *spec);

/* The function at an address of a whole machine, or NULL. */
const struct func *elfs_find(struct elfs *e, uint64_t addr);

/*
 * The function at `at` in the mapping of the file `path`, which begins at
 * `start`, or NULL.
 */
const struct func *elfs_find_mapped(
    struct elfs *e, const char *path, uint64_t start, uint64_t at);

#endif
