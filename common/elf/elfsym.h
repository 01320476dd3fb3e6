/* SPDX-License-Identifier: ISC */
/*
 * Gives addresses their names: the functions of one ELF file and, from its
 * DWARF, the calls inlined at an address and its source line.
 *
 * A function's name is the linker's, as in the symbol table. An inlined call's
 * name is its DW_AT_linkage_name or else its DW_AT_name. All are raw, so
 * demangle.h applies to all.
 *
 * A lookup costs one hash hit for a known address, else two or three binary
 * searches. Debug information is read unit by unit when an address in it is
 * first looked up. A damaged file gives what can be read, and elfsym_damage()
 * says so. It cannot crash the reader, keep it busy for longer than its size
 * explains, or take more than a small multiple of its size in memory.
 */
#ifndef KST_ELFSYM_H
#define KST_ELFSYM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/port.h"

struct buf;
struct elfsym;

enum {
	ELFSYM_INLINE = 1, /* expand inlined calls */
	ELFSYM_LINES = 2,  /* find source lines */
	ELFSYM_PLAIN = 4,  /* prefer `fflush` to `_IO_fflush` */
	ELFSYM_TAILS = 8,  /* find tail calls; take names from debug info */
	ELFSYM_SERVER = 16 /* ask debuginfod if the file has no debug info */
};

/*
 * Loads an ELF file, or a file of which kimage.h makes one. The spec is one of
 *
 *	PATH
 *	PATH@BASE	where the lowest byte of a position-independent program
 *			was loaded
 *	PATH@+OFFSET	what is added to all addresses of the file
 *
 * BASE and OFFSET are hexadecimal, 0x or not. Returns NULL with the reason,
 * which names the path, in *err. The caller frees.
 */
struct elfsym *elfsym_load(const char *spec, unsigned flags, struct buf *err);

void elfsym_free(struct elfsym *s);

/* Moves all addresses so that the image begins at base (a user program). */
void elfsym_rebase(struct elfsym *s, uint64_t base);

/* What is added to the file's addresses; elfsym_move() sets it. */
uint64_t elfsym_bias(const struct elfsym *s);
void elfsym_move(struct elfsym *s, uint64_t bias);

const char *elfsym_path(const struct elfsym *s);

/*
 * A path by which the loaded file can be opened once more. For a kernel as it
 * boots, this is the ELF file that was made of it.
 */
void elfsym_reopen(const struct elfsym *s, char path[PORT_FD_PATH]);

/* In hexadecimal digits; "" when the file has none. */
const char *elfsym_build_id(const struct elfsym *s);

/*
 * What was damaged in the file, in words without the path; NULL if nothing was.
 */
const char *elfsym_damage(const struct elfsym *s);

/* Whether the address is in the code of the file. */
bool elfsym_covers(const struct elfsym *s, uint64_t addr);

/* A named stretch of code [start, end), as loaded. */
struct elfsym_func {
	const char *name; /* lives as long as the table; ends with NUL */
	size_t len;
	uint64_t start, end;
};

/*
 * The function that begins exactly at an address, without lines and inlined
 * calls.
 */
bool elfsym_find(
    const struct elfsym *s, uint64_t addr, struct elfsym_func *func);

/* Function i in the order of addresses. False when there are fewer. */
bool elfsym_nth(const struct elfsym *s, size_t i, struct elfsym_func *func);

/* The message for a file of which not even number 0 exists. */
#define ELFSYM_NO_SYMBOLS                                                  \
	"%s has no symbols: give the file as it was before strip, Linux' " \
	"System.map, or the address of a server in DEBUGINFOD_URLS"

/* One call at an address, with its texts, which are not NUL-terminated. */
struct elfsym_frame {
	const char *name, *file; /* file is NULL when it is not known */
	uint32_t name_len, file_len;
	uint32_t line;
	bool inlined;
};

/*
 * The calls at an address, innermost first. The last one is the function of the
 * symbol table; those before it are inlined. For a return address, give the
 * address less one. Returns how many; 0 if the address has no name. Valid until
 * the next call for this table.
 */
size_t elfsym_frames(
    struct elfsym *s, uint64_t addr, const struct elfsym_frame **frames);

/*
 * Code [start, end) of one source line, as linked. A file's relative path is
 * below `dir`, the compiler's folder, which is "" if it is not known.
 */
struct elfsym_row {
	uint64_t start, end;
	const char *dir, *file; /* live as long as the table */
	uint32_t file_len, line;
};

/*
 * Calls `row` for what the file's line tables say, unit by unit, also of code
 * that the linker has left out; with ELFSYM_LINES. What is damaged is left out,
 * and elfsym_damage() tells.
 */
void elfsym_rows(struct elfsym *s,
    void (*row)(void *ctx, const struct elfsym_row *r), void *ctx);

/* The most of elfsym_tails(). */
enum { ELFSYM_TAILS_MAX = 8 };

/*
 * The tail calls between a call and the function that was found where it went.
 * `ret` is where the call returns to; `addr` is an address in that function.
 * Returned are the addresses after the jumps, innermost first. Their names are
 * those of elfsym_find() for each address less one.
 */
size_t elfsym_tails(struct elfsym *s, uint64_t ret, uint64_t addr,
    uint64_t pc[ELFSYM_TAILS_MAX]);

/*
 * A section by name: where it is loaded, and its bytes (NULL if it has none).
 * Returns false if it does not exist or is damaged.
 */
bool elfsym_section(struct elfsym *s, const char *name, uint64_t *addr,
    uint64_t *size, const unsigned char **data);

/* The same of section of code number i; false when there are fewer. */
bool elfsym_nth_code(struct elfsym *s, size_t i, uint64_t *addr, uint64_t *size,
    const unsigned char **data);

/* The code of the file from an address on, if it has any there. */
struct elfsym_code {
	unsigned machine;   /* the file's e_machine */
	uint64_t low, high; /* addresses that it spans when loaded */
	const uint8_t *p;   /* lives as long as the table; NULL: no code */
	size_t n;
};
struct elfsym_code elfsym_code(struct elfsym *s, uint64_t addr);

#endif
