/* SPDX-License-Identifier: ISC */
/*
 * From an ELF file's DWARF (versions 2 to 5): the calls inlined at an address,
 * and its source line. libdw reads the entries, in this file, in .dwo files and
 * .dwp packages of split DWARF, and in dwz's supplementary file.
 *
 * The file may be hostile: each call of libdw costs no more than the entry or
 * list it is about, and the size of the debug information limits the CPU time
 * for a file.
 *
 * Private to common/elf.
 */
#ifndef KST_DWARF_H
#define KST_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elfsym.h"
#include "elf/segs.h"

struct buf;
struct dwlines;
struct elffile;
struct elftails;
struct Dwarf; /* libdw's */
struct Dwarf_CU;

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

/* An inlined call in a unit's index. */
struct inlined {
	uint32_t parent; /* UINT32_MAX: it is in the function itself */
	uint32_t file, line;
	uint32_t name_len;
	void *entry;	  /* libdw's address of it */
	const char *name; /* NULL until it was asked for */
};

/* A function of a unit, and a call in it (DW_TAG_call_site). */
struct dwtail_func {
	uint64_t addr;	/* where it begins */
	void *entry;	/* libdw's address of it */
	uint32_t first; /* of its calls; the next function's are after them */
};

struct dwtail_site {
	uint64_t ret; /* the address after the call, or jump */
	void *entry;
	bool tail;
};

struct dwtails {
	struct dwtail_func *func;
	struct dwtail_site *site;
	size_t n_func, cap_func, n_site, cap_site;
};

struct dwunit {
	uint64_t start, die, end; /* in .debug_info: head, first entry, end */
	struct Dwarf *dw;	  /* once indexed: where its entries are */
	uint64_t dw_die, dw_end;  /* and the first of them, and their end */
	struct Dwarf_CU *cu;	  /* libdw's, of these */
	struct segs segs;	  /* of inlined[] */
	struct inlined *inlined;
	uint32_t n_inlined;
	struct dwlines *lines; /* NULL: none, or not yet read */
	struct dwtails tails;
	bool indexed, lines_read;
};

struct dwarf {
	struct Dwarf *dw;
	struct elffile *file;
	char *dir;	   /* of the file; "": the root; NULL: unknown */
	char *package;	   /* FILE.dwp, which may not exist; "": unknown */
	bool lines, tails; /* they are wanted */
	struct dwunit *v;
	size_t n, cap, n_indexed;
	struct segs segs; /* of v[] */
	int64_t left;	  /* ns of CPU time that reading may still take */
	uint32_t items;	  /* ranges and calls that may still be kept */
	uint64_t line_bytes, line_texts; /* see dwlines.c */
	size_t line_longest;
	struct Dwarf *line_dw;
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

/* Units, in dwunits.c ----------------------------------------------------- */

/* The unit that an address is in, or NULL. */
struct dwunit *dwunits_at(struct dwarf *d, uint64_t addr);

/*
 * Finds the unit's entries: sets dw, dw_die and dw_end. False, with the reason
 * in *err, if they cannot be read.
 */
bool dwunits_root(struct dwarf *d, struct dwunit *u, struct buf *err);

/*
 * Takes the CPU time since *clock from what is left, and sets *clock to now;
 * false when nothing is left. The first call has *clock 0.
 */
bool dwunits_spend(struct dwarf *d, int64_t *clock);

/*
 * To be called when libdw has first seen a unit, with errno 0 before: 0.188
 * does not look whether it got memory for a unit's table. Ends the command with
 * EXIT_SYSTEM if memory was short.
 */
void dwunits_check_memory(void);

/* Notes damage once: kind is a few words, at an offset in .debug_info. */
void dw_damage(struct buf *err, const char *kind, uint64_t offset);

/* In dwindex.c: the raw name of an entry's function, "" when it has none. */
const char *dwindex_name(struct Dwarf_CU *cu, void *entry);

/* Where an entry's function begins; of several parts the first is its entry. */
bool dwindex_begin(struct Dwarf_CU *cu, void *entry, uint64_t *addr);

/*
 * In elftails.c: functions that have left no frame on the stack, as their last
 * act was to jump to another: what must have run between a call and the
 * function that is found where it went.
 */

/* Both must outlive it. */
struct elftails *elftails_new(struct elffile *f, struct dwarf *d);
void elftails_free(struct elftails *t);

/*
 * The addresses after the jumps, innermost first, that lead from the call
 * which returns to `ret` to the function that begins at `callee`; of several
 * ways what they have in common at either end, as in gdb. At most
 * ELFSYM_TAILS_MAX; 0 when there are none, or they cannot be known.
 */
size_t elftails_find(struct elftails *t, uint64_t ret, uint64_t callee,
    uint64_t pc[ELFSYM_TAILS_MAX], struct buf *err);

/*
 * The name that debug information has for the function that begins at an
 * address, if a symbol there has it too; else NULL.
 */
const char *elftails_alias(
    struct elftails *t, uint64_t addr, const char *name, struct buf *err);

#endif
