/* SPDX-License-Identifier: ISC */
/*
 * The ELF files that give symbols: those of the user, and those whose names
 * are in the maps.
 */
#ifndef ELFS_H
#define ELFS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

struct elfs;
struct elfsym;
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

/*
 * The file of a map, or NULL. It must have that build id or, if none is known
 * (""), not be younger than the trace; else it is left out with a message.
 */
struct elfsym *elfs_open(const char *path, const char *build, time_t trace);

/* The function at an address where the file is loaded, or NULL. */
const struct func *elfs_find_in(
    struct elfs *e, const struct elfsym *elf, uint64_t addr);

#endif
