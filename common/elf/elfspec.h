/* SPDX-License-Identifier: ISC */
/* Private to the room: how users name an ELF file and its place. */
#ifndef KST_ELFSPEC_H
#define KST_ELFSPEC_H

#include <stddef.h>
#include <stdint.h>

/*
 * Splits PATH@BASE: returns the path's length, and sets *how to 0 (no base),
 * '@' or '+'. An @ belongs to the path if there is a file of that name, or no
 * number follows.
 */
size_t elfspec_split(const char *spec, char *how, uint64_t *val);

#endif
