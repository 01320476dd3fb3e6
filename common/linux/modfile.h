/* SPDX-License-Identifier: ISC */
/* Private to the room: makes an ELF file of a module in the guest's memory. */
#ifndef KST_MODFILE_H
#define KST_MODFILE_H

#include <stdint.h>

#include "linux/reader.h"

enum { MODULE_NAME = 56 };

/* Where what is read of it is. */
struct modfile {
	uint64_t text, size;	  /* its code, */
	uint64_t init, init_size; /* and that which begins; size 0: none */
	uint64_t symtab, symbols, strtab;
	uint64_t orcs, orc_ip, orc; /* unwind tables; orcs 0: none */
	char name[MODULE_NAME + 1];
};

/*
 * Reads symbols and tables into a file in memory, with each symbol as
 * `ext4_write_begin [ext4]`. NULL: they cannot be read, or there are none.
 */
struct elfsym *modfile_read(
    const struct reader *r, const struct modfile *s, unsigned machine);

#endif
