/* SPDX-License-Identifier: ISC */
/*
 * Private to common/unwind: one ELF file for the unwinder: its code, its
 * functions' beginnings, its tables. All addresses are the file's own.
 */
#ifndef KST_UELF_H
#define KST_UELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cfi/cfi.h"

struct segment {
	uint64_t addr, memsz;
	const uint8_t *code; /* its bytes in the file; NULL: not code */
	size_t len;
};

enum { SEGMENTS = 256 };

/* Open for reading. */
struct uelf {
	struct cfi *cfi;
	struct orc *orc;    /* NULL: none, */
	bool lacks_orc;	    /* or of a version that is not known */
	uint64_t low, high; /* the addresses that its segments span */
	uint64_t entry;	    /* where it starts */
	/* private */
	const struct unwind_abi *abi;
	struct elffile *file;
	struct Elf *copy; /* for libdw; NULL: it takes the file */
	struct segment seg[SEGMENTS];
	size_t n_seg;
	uint64_t *func; /* arm: those of Thumb are odd */
	size_t n_func;
};

/* Returns NULL with a reason in *why (static). */
struct uelf *uelf_open(
    const char *path, const struct unwind_abi *abi, const char **why);

/* Without a file; copies the bytes. NULL when they say nothing. */
struct uelf *uelf_memory(
    const struct unwind_frames *f, const struct unwind_abi *abi);
void uelf_close(struct uelf *e);

/* Whether a loaded segment holds the address. */
bool uelf_holds(const struct uelf *e, uint64_t addr);

/* The code that the file has at an address, and how much: NULL, none. */
const uint8_t *uelf_code(const struct uelf *e, uint64_t addr, size_t *n);

/* Bytes of code from the file; returns how many there are, up to n. */
size_t uelf_bytes(const struct uelf *e, uint64_t addr, uint8_t *to, size_t n);

/* The beginning of the function around an address, and of the next one; or 0.
 */
uint64_t uelf_function(const struct uelf *e, uint64_t addr, uint64_t *end);

/* Whether the function around an address is Thumb code. */
bool uelf_thumb(const struct uelf *e, uint64_t addr);

/* The beginning of function i of n, spread over all of them; 0: no such. */
uint64_t uelf_sample(const struct uelf *e, size_t i, size_t n);

#endif
