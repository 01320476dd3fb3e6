/* SPDX-License-Identifier: ISC */
/*
 * Gives the unwinder what it needs of an ELF file: code, where functions begin,
 * and tables. All addresses are those that the file was linked for. Only
 * common/unwind uses it.
 */
#ifndef KST_UELF_H
#define KST_UELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfi/cfi.h"
#include "elffile/gotab.h"

struct segment {
	uint64_t addr, memsz;
	const uint8_t *code; /* its bytes in the file; NULL: not code */
	size_t len;
};

enum { SEGMENTS = 256 };

/* Open for reading. */
struct uelf {
	struct cfi *cfi;
	struct orc *orc;    /* NULL: none, or */
	bool lacks_orc;	    /* one of an unknown version */
	struct gotab go;    /* n 0: none */
	uint64_t low, high; /* the addresses that its segments span */
	uint64_t entry;	    /* where it starts */
	bool stripped;	    /* its functions are not all known */
	uint64_t tracer;    /* arm: __gnu_mcount_nc; 0: it has none */
	/* private */
	const struct unwind_abi *abi;
	struct elffile *file;
	struct Elf *copy; /* for libdw; NULL: it takes the file */
	struct segment seg[SEGMENTS];
	size_t n_seg;	/* may be read */
	uint64_t *func; /* arm: those of Thumb are odd */
	size_t n_func;
};

/* Returns NULL with a reason in *why (static). */
struct uelf *uelf_open(
    const char *path, const struct unwind_abi *abi, const char **why);

/*
 * As uelf_open(), for a program's tables in memory, which are copied. Returns
 * NULL if nothing can be read from them.
 */
struct uelf *uelf_memory(
    const struct unwind_frames *f, const struct unwind_abi *abi);
void uelf_close(struct uelf *e);

/* Segment i's code; NULL: it has none. i counts from 0 to n_seg. */
const uint8_t *uelf_segment(
    const struct uelf *e, size_t i, uint64_t *addr, size_t *n);

/* The whole file. */
const uint8_t *uelf_image(const struct uelf *e, size_t *n);

/* Adds where n functions begin, but for places inside of those with a size. */
void uelf_add_functions(struct uelf *e, const uint64_t *func, size_t n);

/* Whether a loaded segment holds the address. */
bool uelf_holds(const struct uelf *e, uint64_t addr);

/* The code from an address on: *n bytes, or NULL if the file has none. */
const uint8_t *uelf_code(const struct uelf *e, uint64_t addr, size_t *n);

/*
 * Copies up to n bytes of code from an address on. Returns how many were
 * copied.
 */
size_t uelf_bytes(const struct uelf *e, uint64_t addr, uint8_t *to, size_t n);

/*
 * Where the function around an address begins; 0 if there is none. *end is
 * where the next function begins.
 */
uint64_t uelf_function(const struct uelf *e, uint64_t addr, uint64_t *end);

/* Whether the function around an address is Thumb code. */
bool uelf_thumb(const struct uelf *e, uint64_t addr);

/*
 * If n functions are chosen, spread evenly over all: where number i of them
 * begins. 0: there is none.
 */
uint64_t uelf_sample(const struct uelf *e, size_t i, size_t n);

#endif
