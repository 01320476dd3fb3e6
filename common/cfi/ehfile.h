/* SPDX-License-Identifier: ISC */
/* Private to the room: call frame information as an ELF file, for libdw. */
#ifndef KST_EHFILE_H
#define KST_EHFILE_H

#include "elf/elffile.h"

struct buf;

enum { EHFILE_EH, EHFILE_DEBUG, EHFILE_N };

/*
 * Writes an ELF file of 64 bits with .eh_frame and .debug_frame, if they have
 * bytes, and a segment of code of which it has nothing.
 */
void ehfile_write(struct buf *b, unsigned machine, const struct elf_range *text,
    const struct elf_section s[EHFILE_N]);

#endif
