/* SPDX-License-Identifier: ISC */
/*
 * From an ELF file's DWARF (versions 2 to 5): the calls inlined at an address,
 * and its source line. libdw reads the entries, in this file, in .dwo files and
 * .dwp packages of split DWARF, and in dwz's supplementary file.
 *
 * The file may be hostile: each call of libdw costs no more than the entry or
 * list it is about, and the size of the debug information limits the CPU time
 * and the memory for a file.
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

enum dwitem_kind { DWITEM_INLINED, DWITEM_FUNC, DWITEM_CALL, DWITEM_JUMP };

/* An entry of a unit; functions and calls only if tail calls are wanted. */
struct dwitem {
	union {
		void *entry; /* libdw's address of it */
		struct {
			uint32_t file, line; /* where such a call was made */
		} from;			     /* once its name is known */
	};
	union {
		uint64_t addr;	  /* a function's begin, what follows a call */
		const char *name; /* of an inlined call; NULL: not known yet */
	};
	uint32_t parent; /* UINT32_MAX: inlined in the function itself */
	uint8_t kind;
};

struct dwunit {
	struct Dwarf_CU *cu, *entries; /* two of them in split DWARF */
	struct segs segs;	       /* of inlined calls */
	struct dwitem *item;	       /* in the order of the entries */
	size_t n, cap;
	const char *dir; /* its compiler's folder; NULL: not read */
	bool indexed, lines_read, has_lines, files_read, has_files;
};

struct dwarf {
	struct Dwarf *dw;
	struct elffile *file;
	char *path;	   /* of the file; "": unknown */
	bool lines, tails; /* they are wanted */
	struct dwunit *v;
	size_t n, cap, n_indexed;
	struct segs segs; /* of v[] */
	/* what reading may still take */
	uint64_t bytes;
	int64_t time, clock; /* ns of CPU time; when it was looked at */
	unsigned steps;
	uint64_t line_text; /* private to dwlines.c */
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
 * Sets u->entries. False, with the reason in *err, if the split unit cannot be
 * read.
 */
bool dwunits_entries(struct dwarf *d, struct dwunit *u, struct buf *err);

/*
 * Takes bytes of memory, and the CPU time since the last call or since
 * dwunits_start(), from what the file may take; false when nothing is left.
 */
void dwunits_start(struct dwarf *d);
bool dwunits_spend(struct dwarf *d, uint64_t bytes);

/*
 * To be called when libdw has first seen a unit, with errno 0 before: 0.188
 * does not look whether it got memory for a unit's table. Ends the command with
 * EXIT_SYSTEM if memory was short.
 */
void dwunits_check_memory(void);

/* Notes damage once: kind is a few words, at an offset in .debug_info. */
void dw_damage(struct buf *err, const char *kind, uint64_t offset);

/* Entries, in dwindex.c --------------------------------------------------- */

/* The raw name of an entry's function, "" when it has none. */
const char *dwindex_name(struct Dwarf_CU *cu, void *entry);

/* Where an entry's function begins; of several parts the first is its entry. */
bool dwindex_begin(struct Dwarf_CU *cu, void *entry, uint64_t *addr);

/* Lines, in dwlines.c ----------------------------------------------------- */

/* The position of a line in a file that the unit's entries number. */
void dwlines_pos(struct dwarf *d, struct dwunit *u, uint64_t file,
    uint64_t line, struct dwarf_pos *pos, struct buf *err);

/* Tail calls, in elftails.c ----------------------------------------------- */

/*
 * Functions that have left no frame on the stack, as their last act was to jump
 * to another: what must have run between a call and the function that is found
 * where it went. Both arguments must outlive it.
 */
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
