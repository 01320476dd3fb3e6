/* SPDX-License-Identifier: ISC */
/*
 * Inside of the DWARF reader: sections, units, and the attributes of their
 * entries. Used by dw*.c and dwarf.c only.
 */
#ifndef KST_DWUNIT_H
#define KST_DWUNIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/dwform.h"
#include "elf/dwread.h"
#include "elf/elffile.h"
#include "elf/segs.h"

struct buf;
struct lines;
struct table;

/* Tags and attributes that say something about inlined calls. */
enum {
	TAG_INLINED = 0x1d,
	TAG_SUBPROGRAM = 0x2e,

	AT_NAME = 0x03,
	AT_STMT_LIST = 0x10,
	AT_LOW_PC = 0x11,
	AT_HIGH_PC = 0x12,
	AT_ABSTRACT_ORIGIN = 0x31,
	AT_SPECIFICATION = 0x47,
	AT_RANGES = 0x55,
	AT_CALL_FILE = 0x58,
	AT_CALL_LINE = 0x59,
	AT_LINKAGE_NAME = 0x6e,
	AT_STR_OFFSETS_BASE = 0x72,
	AT_ADDR_BASE = 0x73,
	AT_RNGLISTS_BASE = 0x74,
	AT_MIPS_LINKAGE_NAME = 0x2007,
	AT_GNU_ADDR_BASE = 0x2133
};

enum dwsection {
	S_INFO,
	S_ABBREV,
	S_STR,
	S_LINE_STR,
	S_LINE,
	S_RANGES,
	S_RNGLISTS,
	S_ADDR,
	S_STR_OFFSETS,
	S_N
};

/* A kind of entry: its tag and the attributes it has. */
struct abbrev {
	uint64_t code;
	uint32_t spec, n_specs; /* in abbrevs.spec */
	uint16_t tag;
	bool children;
	bool fixed; /* every entry has the same size, namely: */
	struct dwfixed size;
};

struct spec {
	uint16_t name, form;
	int64_t implicit;
};

/* A table of kinds, sorted by code. */
struct abbrevs {
	struct abbrev *v;
	struct spec *spec;
	size_t n, n_specs;
};

/* An inlined call: entry of .debug_info, and the one around it. */
struct inlined {
	uint32_t parent; /* UINT32_MAX: it is in the function itself */
	uint32_t file, line;
	uint32_t name_len;
	uint64_t origin;  /* its function's entry in .debug_info */
	const char *name; /* NULL until it was looked up */
};

struct unit {
	uint64_t start, end; /* in .debug_info */
	uint64_t entries;    /* the first entry */
	struct dwsizes sizes;
	uint64_t abbrev_offset;
	const struct abbrevs *abbrevs; /* NULL until needed */
	uint64_t low_pc, addr_base, str_base, rnglists_base, stmt_list;
	bool has_lines;
	bool indexed, lines_read; /* tried, with or without success */
	struct segs segs;	  /* of inlined[] */
	struct inlined *inlined;
	uint32_t n_inlined;
	struct lines *lines;
};

struct dwarf {
	struct elffile *file;
	bool big, want_lines;
	struct dwread section[S_N];
	uint64_t left[S_N]; /* of the work that a section may cause */
	uint64_t items;	    /* ranges, calls and rows that may still be kept */
	struct unit *units;
	size_t n_units;
	struct segs segs;     /* of units */
	struct table *tables; /* of dwabbrev.c: all that were read */
};

/* The attributes of an entry that matter here. */
struct entry {
	const struct abbrev *abbrev; /* NULL: the end of a list of children */
	struct dwvalue name, linkage_name, low_pc, high_pc, ranges, origin;
	uint32_t call_file, call_line;
	struct dwvalue stmt_list, addr_base, str_base, rnglists_base;
};

/* Notes damage once: kind is a few words, at an offset in .debug_info. */
void dw_damage(struct buf *err, const char *kind, uint64_t offset);

/* A reader for [from, to) of a section; bad and empty when out of it. */
struct dwread dw_at(
    const struct dwarf *d, enum dwsection s, uint64_t from, uint64_t to);

/* Takes n from a section's allowance of work; false when it is used up. */
bool dw_spend(struct dwarf *d, enum dwsection s, uint64_t n);

/* The kinds of entries of a unit, and the kind of a code in them, or NULL. */
const struct abbrevs *dwabbrev_of(struct dwarf *d, struct unit *u);
const struct abbrev *dwabbrev_find(const struct abbrevs *t, uint64_t code);
void dwabbrev_free(struct dwarf *d);

/* Finds the units; returns -1 when there are none that can be used. */
int dwunit_scan(struct dwarf *d, struct buf *err);
void dwunit_free(struct dwarf *d);

/* The unit that an offset of .debug_info is in, or NULL. */
struct unit *dwunit_at(struct dwarf *d, uint64_t offset);

/*
 * Reads the entry at r, or, when want() says no to its tag, steps over it and
 * sets only e->abbrev. Returns false when it is damaged.
 */
bool dwunit_entry(struct dwarf *d, struct unit *u, struct dwread *r,
    bool (*want)(unsigned tag), struct entry *e);

bool dw_want_all(unsigned tag);

/* The text of a value, or NULL; lives as long as the file. */
const char *dw_text(
    struct dwarf *d, const struct unit *u, const struct dwvalue *val);

/* The address of a value; false when it is none. */
bool dw_address(struct dwarf *d, const struct unit *u,
    const struct dwvalue *val, uint64_t *addr);

/* Calls fn for each range of an entry; false when they are damaged. */
bool dw_ranges(struct dwarf *d, const struct unit *u, const struct entry *e,
    void (*fn)(uint64_t lo, uint64_t hi, void *arg), void *arg);

/* The lines of a unit. */
void dwlines_free(struct lines *l);
bool dwlines_find(struct dwarf *d, struct unit *u, uint64_t addr,
    uint32_t *file, uint32_t *line, struct buf *err);
bool dwlines_file(struct dwarf *d, struct unit *u, uint32_t file,
    const char **text, uint32_t *len, struct buf *err);

#endif
