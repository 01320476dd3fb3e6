/* SPDX-License-Identifier: ISC */
/*
 * An ELF file of 64 bits in the making: an image, of which sections have parts,
 * and tables after it.
 */
#ifndef KST_VIEW_H
#define KST_VIEW_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct ksyms;

enum {
	VIEW_GAP = 64 << 10, /* the image's place in the file: headers before */
	VIEW_SEGMENTS = 64
};

/* Zero it but for the image and the machine to begin. */
struct view {
	const uint8_t *p;
	size_t len; /* 0: there are only tables */
	unsigned machine;
	bool is_cut;		  /* there is code beyond the image's end */
	bool failed;		  /* a section could not be made */
	struct Elf *elf;	  /* libelf's, that is made */
	struct buf names;	  /* of sections */
	size_t n_section, copied; /* and their bytes */
	Elf64_Phdr segment[VIEW_SEGMENTS];
	size_t n_segment;
	Elf64_Off end; /* of the tables */
};

/* Has the file written to fd; false: libelf cannot. */
bool view_begin(struct view *v, int fd);

/* Adds a section, with the bytes that the image has at its offset, or none. */
bool view_section(struct view *v, const char *name, Elf64_Shdr sh);

/* Adds one after the image, of other bytes; returns its number. */
Elf64_Word view_table(
    struct view *v, const char *name, Elf64_Shdr sh, const void *bytes);

/* Writes all. The bytes must stay until then. */
bool view_write(struct view *v);
void view_done(struct view *v);

/*
 * Adds sections of code where the symbols have functions, for an image that is
 * at `base`; segments, too, for a list.
 */
void view_code(struct view *v, const struct ksyms *k, uint64_t base);

/* Adds the symbols, if there are any. */
void view_symbols(struct view *v, const struct ksyms *k);

#endif
