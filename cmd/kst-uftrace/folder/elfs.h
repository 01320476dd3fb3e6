/* SPDX-License-Identifier: ISC */
/* ELF files that give symbols. */
#ifndef ELFS_H
#define ELFS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct elfs;
struct elfsym;
struct elfsym_func;

/* The ELF files that the user gives. */
struct elfs *elfs_new(void);
void elfs_free(struct elfs *e);

/* Adds a file, written as for elfsym_load(). Returns -1 after a message. */
int elfs_add(struct elfs *e, const char *spec);

/* The function at an address in the trace of a whole machine. */
bool elfs_find(const struct elfs *e, uint64_t addr, struct elfsym_func *func);

/*
 * The function at `at` in the mapping of the file `path`, which begins at
 * `start`.
 */
bool elfs_find_mapped(struct elfs *e, const char *path, uint64_t start,
    uint64_t at, struct elfsym_func *func);

/*
 * The file of a mapping, or NULL. The file must have that build id; if the id
 * is unknown (""), it must not be newer than the trace. Any other file is left
 * out, with a message.
 */
struct elfsym *elfs_open(const char *path, const char *build, time_t trace);

#endif
