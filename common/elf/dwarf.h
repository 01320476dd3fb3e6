/* SPDX-License-Identifier: ISC */
/*
 * From an ELF file's DWARF (versions 2 to 5): the calls that were inlined at
 * an address, and the source line of an address. Own code rather than a
 * library's, because the file may be hostile: no read leaves its section, no
 * walk goes backward, and the work and memory for lists that entries share
 * are limited by the size of the sections. Split DWARF (.dwo) and
 * supplementary files (dwz) are not followed: what stands there has no name.
 */
#ifndef KST_DWARF_H
#define KST_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct dwarf;
struct elffile;

/* A source position; text lives as long as the reader, NULL: not known. */
struct dwarf_pos {
	const char *file;
	uint32_t file_len, line;
};

/* An inlined call: its raw name, "" if unknown, and where it was made. */
struct dwarf_call {
	const char *name;
	uint32_t name_len;
	struct dwarf_pos from;
};

/*
 * Reads the units' heads. Returns NULL when there is no debug information, or
 * when it cannot be used at all; then *err says why. The file must outlive it.
 */
struct dwarf *dwarf_new(struct elffile *f, bool lines, struct buf *err);
void dwarf_free(struct dwarf *d);

/*
 * The calls inlined at an address, innermost first, at most max. Positions
 * are filled only when the reader was made with lines. What is found damaged
 * is added to *err once, and skipped from then on.
 */
size_t dwarf_calls(struct dwarf *d, uint64_t addr, struct dwarf_call *calls,
    size_t max, struct buf *err);

/* The source line of an address; false when it is not known. */
bool dwarf_line(
    struct dwarf *d, uint64_t addr, struct dwarf_pos *pos, struct buf *err);

#endif
