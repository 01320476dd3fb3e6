/* SPDX-License-Identifier: ISC */
/*
 * The units of a file's debug information: which one an address is in, and
 * where its entries stand: in the file, a .dwo file or a .dwp package.
 *
 * Private to common/elf.
 */
#ifndef KST_DWUNITS_H
#define KST_DWUNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/dwtails.h"
#include "elf/segs.h"

struct buf;
struct dwp;
struct dwp_unit;
struct elffile;
struct dwlines;
struct inlined;
struct Dwarf; /* libdw's */

struct dwunit {
	uint64_t start, die, end; /* in .debug_info: head, first entry, end */
	struct Dwarf *dw;	  /* once indexed: where its entries are */
	uint64_t dw_die;	  /* and the first of them */
	struct Dwarf_CU *cu;	  /* libdw's, of these */
	struct segs segs;	  /* of inlined[] */
	struct inlined *inlined;
	uint32_t n_inlined;
	struct dwlines *lines; /* NULL: none, or not yet read */
	struct dwtails tails;
	bool packaged; /* they are in a .dwp file */
	bool indexed, lines_read;
};

struct dwunits {
	struct Dwarf *dw;
	struct elffile *file;
	char *dir;	   /* of the file, with '/' at the end */
	bool lines, tails; /* they are wanted */
	struct dwunit *v;
	size_t n, cap, n_indexed;
	struct segs segs; /* of v[] */
	bool scanned;	  /* from the units, as .debug_aranges lacked one */
	struct dwp *dwp;  /* FILE.dwp, once it was looked for */
	bool dwp_tried;
	int64_t left;	/* ns of CPU time that reading may still take */
	uint32_t items; /* ranges and calls that may still be kept */
	uint64_t line_bytes, line_texts; /* see dwlines.c */
	size_t line_longest;
};

/* Where the entries of a unit stand. */
struct dwroot {
	struct Dwarf *dw;
	uint64_t die, end; /* of the unit: first entry, end */
	/* Of a package, where libdw does not know the file's own unit: */
	const struct dwp_unit *package; /* else NULL */
	uint64_t base;			/* what ranges are counted from */
};

/* Notes damage once: kind is a few words, at an offset in .debug_info. */
void dw_damage(struct buf *err, const char *kind, uint64_t offset);

/* Returns -1 when there are none that can be used. */
int dwunits_init(struct dwunits *us, struct elffile *f, struct buf *err);
void dwunits_done(struct dwunits *us);

/* The unit that an address is in, or NULL. */
struct dwunit *dwunits_at(struct dwunits *us, uint64_t addr, struct buf *err);

/* False, with the reason in *err, if its entries cannot be read. */
bool dwunits_root(struct dwunits *us, const struct dwunit *u,
    struct dwroot *root, struct buf *err);

/*
 * Takes the CPU time since *clock from what is left, and sets *clock to now;
 * false when nothing is left. The first call has *clock 0.
 */
bool dwunits_spend(struct dwunits *us, int64_t *clock);

#endif
