/* SPDX-License-Identifier: ISC */
/*
 * Reads an ELF file's DWARF (versions 2 to 5): the calls inlined at an address,
 * and its source line. libdw reads the entries, in the file itself, in .dwo
 * files and .dwp packages of split DWARF, and in dwz's supplementary file.
 *
 * The file may be hostile. Each call of libdw costs no more than the entry or
 * list it is about, and the CPU time and the memory for a file are limited in
 * proportion to its debug information.
 *
 * Private to common/elf.
 */
#ifndef KST_DWARF_H
#define KST_DWARF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/elfsym.h"
#include "elffile/segs.h"

struct elffile;
struct Dwarf; /* libdw's */
struct Dwarf_CU;

/* A source position. The text lives as long as the reader; NULL: unknown. */
struct dwarf_pos {
	const char *file;
	uint32_t file_len, line;
};

/* An inlined call: its raw name, "" if unknown, and where it was made. */
struct dwarf_call {
	const char *name;
	uint32_t name_len;
	struct dwarf_pos from;
	struct dwitem *item; /* private */
};

enum dwitem_kind {
	DWITEM_INLINED,
	DWITEM_PART, /* DWITEM_INLINED, of a function that GCC has split */
	DWITEM_FUNC,
	DWITEM_CALL,
	DWITEM_JUMP
};

/*
 * An entry of a unit. Functions and calls are kept only if tail calls are
 * wanted.
 */
struct dwitem {
	union {
		void *entry; /* libdw's address of it */
		struct {
			uint32_t file, line; /* where such a call was made */
		} from;			     /* once its name is known */
	};
	union {
		uint64_t
		    addr; /* where a function begins, or what follows a call */
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

#endif
