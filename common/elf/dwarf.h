/* SPDX-License-Identifier: ISC */
/*
 * From an ELF file's DWARF (versions 2 to 5): the calls inlined at an address,
 * and its source line. libdw reads the entries, in this file, in .dwo files and
 * .dwp packages of split DWARF, and in dwz's supplementary file.
 *
 * The file may be hostile: each call of libdw costs no more than the entry or
 * list it is about, and the size of the debug information limits the CPU time
 * for a file. dwlines.h reads source lines.
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
struct dwunit;
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
 * Finds the units. Returns NULL if there is no debug information, or with the
 * reason in *err if it is useless. The file must outlive it.
 */
struct dwarf *dwarf_new(
    struct elffile *f, bool lines, bool tails, struct buf *err);
void dwarf_free(struct dwarf *d);

/* The unit that holds an address, indexed; NULL: none. */
struct dwunit *dwarf_unit(struct dwarf *d, uint64_t addr, struct buf *err);

/*
 * The calls inlined at an address, innermost first, at most max. Positions are
 * filled only if the reader was made with lines. Damaged and missing parts are
 * added to *err once, and skipped from then on.
 */
size_t dwarf_calls(struct dwarf *d, uint64_t addr, struct dwarf_call *calls,
    size_t max, struct buf *err);

/* The source line of an address; false when it is not known. */
bool dwarf_line(
    struct dwarf *d, uint64_t addr, struct dwarf_pos *pos, struct buf *err);

#endif
