/* SPDX-License-Identifier: ISC */
/*
 * Writes an ELF file of 64 bits: the image as it is, with sections that name
 * parts of it, and tables after the image.
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
	VIEW_GAP = 64 << 10, /* offset of the image, after the headers */
	VIEW_SEGMENTS = 64
};

/* To begin, set the image and the machine, and zero the rest. */
struct view {
	const uint8_t *p;
	size_t len; /* 0: there are only tables */
	unsigned machine;
	bool is_cut;		  /* there is code beyond the image's end */
	bool failed;		  /* a section could not be made */
	struct Elf *elf;	  /* libelf's, of the file that is written */
	struct buf names;	  /* of sections */
	size_t n_section, copied; /* and their bytes */
	Elf64_Phdr segment[VIEW_SEGMENTS];
	size_t n_segment;
	Elf64_Off end; /* of the tables */
};

/* Begins a file, to be written to fd. Returns false if libelf fails. */
bool view_begin(struct view *v, int fd);

/*
 * Adds a section, whose sh_offset and sh_size tell its bytes in the image.
 * Returns false if they are not all there, or if there are too many sections.
 */
bool view_section(struct view *v, const char *name, Elf64_Shdr sh);

/* Adds a section with bytes of its own after the image; returns its number. */
Elf64_Word view_table(
    struct view *v, const char *name, Elf64_Shdr sh, const void *bytes);

/* Writes the file, so the image and all other bytes must still be there. */
bool view_write(struct view *v);
void view_done(struct view *v);

/*
 * Adds sections of code wherever there are symbols of functions. `base` is the
 * image's address. Without an image, it adds segments, too.
 */
void view_code(struct view *v, const struct ksyms *k, uint64_t base);

/* Adds the symbols, if there are any. */
void view_symbols(struct view *v, const struct ksyms *k);

#endif
