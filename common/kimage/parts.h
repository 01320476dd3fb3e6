/* SPDX-License-Identifier: ISC */
/* Private to the room: what is packed, symbols, and the ELF file of both. */
#ifndef KST_PARTS_H
#define KST_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "kimage/view.h"

/* Bytes of a file, and of what is packed in it. */
enum { IMAGE_MAX = 512 << 20 };

/* Whether the bytes begin as one of the formats that unpack() knows by name. */
bool unpack_knows(const uint8_t *p, size_t len);

/*
 * Unpacks gzip, xz, lzma, lz4 (the kernel's old kind) or zstd, up to the end of
 * the packed data, and appends it to *to. Returns false with the reason in
 * *err.
 */
bool unpack(const uint8_t *p, size_t len, struct buf *to, struct buf *err);

/* Symbols ------------------------------------------------------------------ */

/* A table of symbols, from a kernel's own or a list. Zero it to begin. */
struct ksyms {
	Elf64_Sym *v; /* in rising order, after an empty one */
	size_t n, cap;
	struct buf names;
	/* What the addresses count from; a table of Linux need not say. */
	enum { KSYMS_ZERO, KSYMS_IMAGE, KSYMS_TABLE } from;
	size_t at; /* where the table was, in the image */
};

/* Appends a symbol of nm(1)'s type, whose name was appended at `name`. */
void ksyms_add(struct ksyms *k, uint64_t addr, char type, size_t name);

/* Adds to all addresses; a function reaches to the next symbol from then on. */
void ksyms_move(struct ksyms *k, uint64_t by);
void ksyms_done(struct ksyms *k);

/*
 * Decodes the kallsyms of a little-endian kernel of 64 bits, unpacked, of any
 * layout from Linux 5.0 to 7.2. Addresses that are counted from the lowest
 * symbol, with that one's address left to a relocation, are KSYMS_IMAGE; those
 * counted from the table's place, KSYMS_TABLE, are offsets in the image. There
 * are no symbols when there is no such table.
 */
void kallsyms_read(const uint8_t *p, size_t len, struct ksyms *k);

/*
 * Reads lines of `ADDRESS TYPE NAME [MODULE]`: System.map, or /proc/kallsyms.
 * Returns false when the text does not begin with one, or with the reason in
 * *err.
 */
bool ksyms_list(const char *p, size_t len, struct ksyms *k, struct buf *err);

/* The ELF file ------------------------------------------------------------- */

/*
 * Adds sections of code where the symbols have functions, for an image that is
 * at `base`; segments, too, for a list.
 */
void view_code(struct view *v, const struct ksyms *k, uint64_t base);

/* Adds the symbols, if there are any. */
void view_symbols(struct view *v, const struct ksyms *k);

/* The machine of an image without headers; EM_NONE: it is not one. */
unsigned flat_machine(const uint8_t *p, size_t len);

/*
 * Gives an image a segment and sections, and the symbols their addresses.
 * Returns false when it has no symbols, or nothing tells where it belongs.
 */
bool flat_read(struct view *v, struct ksyms *k);

#endif
