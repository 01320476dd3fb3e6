/* SPDX-License-Identifier: ISC */
/* The ELF files of programs, and the code by which the plugin knows them. */
#ifndef FILES_H
#define FILES_H

#include <stddef.h>

#include "live/programs.h"

struct elfsym;
struct opt_list;

/* The end of a kernel's last function not far above its code. */
uint64_t files_top(struct elfsym *kernel, uint64_t low);

/*
 * Loads the files of -e but the first, which is the kernel's: item i is that of
 * program number i. NULL: it cannot be read, which kst-sym says. Sets where the
 * code is of those that are known by it: not of one that was given a place, or
 * has no code. The caller frees.
 */
struct elfsym **files_load(
    const struct opt_list *elf, struct program program[PROGRAMS_MAX]);
void files_free(struct elfsym **files, size_t n);

/* Writes that code to a pipe. Returns 0, or -1 with errno. */
int files_pass(struct elfsym **files,
    const struct program program[PROGRAMS_MAX], int pipe);

#endif
