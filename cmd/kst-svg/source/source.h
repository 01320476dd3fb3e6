/* SPDX-License-Identifier: ISC */
/*
 * Colours by the source: each folder or file of the kernel that has much of the
 * picture has a class.
 */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>
#include <sys/types.h>

struct colours;
struct tree;

/*
 * Starts what reads the kernel's ELF file, before rights are given up. It reads
 * nothing until it is asked. Returns its process, or -1 after a message.
 */
pid_t source_start(const char *elf);

/*
 * Adds to the palette `source` what it has no rule for: the names of the tree,
 * by the file that has them. Returns false if less than a quarter of the names
 * have one. To be called once, after source_start().
 */
bool source_colour(struct colours *c, const struct tree *t);

/*
 * The command's exit status, given that of all else: at least EXIT_FAILED if
 * the file could not be read. A message has said so.
 */
int source_status(int status);

#endif
