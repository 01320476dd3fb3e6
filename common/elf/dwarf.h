/* SPDX-License-Identifier: ISC */
/*
 * From an ELF file's DWARF (versions 2 to 5): the calls that were inlined at
 * an address, and the source line of an address. libdw reads the entries, in
 * this file, in .dwo files and .dwp packages of split DWARF, and in the
 * supplementary file of dwz.
 *
 * The file may be hostile: each call of libdw here costs no more than the
 * entry or list it is about, and the CPU time for a file is limited by the
 * size of its debug information. Source lines are read by lines.h.
 *
 * Private to common/elf.
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
 * Finds the units. Returns NULL when there is no debug information, or when
 * it cannot be used at all; then *err says why. The file must outlive it.
 */
struct dwarf *dwarf_new(struct elffile *f, bool lines, struct buf *err);
void dwarf_free(struct dwarf *d);

/*
 * The calls inlined at an address, innermost first, at most max. Positions
 * are filled only when the reader was made with lines. What is damaged or
 * missing is added to *err once, and skipped from then on.
 */
size_t dwarf_calls(struct dwarf *d, uint64_t addr, struct dwarf_call *calls,
    size_t max, struct buf *err);

/* The source line of an address; false when it is not known. */
bool dwarf_line(
    struct dwarf *d, uint64_t addr, struct dwarf_pos *pos, struct buf *err);

#endif
