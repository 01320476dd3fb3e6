/* SPDX-License-Identifier: ISC */
/* Holds a kernel's symbols, and reads lists of them. */
#ifndef KST_KSYMS_H
#define KST_KSYMS_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* A table of symbols, from a kernel's own or a list. Zero it to begin. */
struct ksyms {
	Elf64_Sym *v; /* in rising order, after an empty one */
	size_t n, cap;
	struct buf names;
	/* What the addresses count from: 0, or see kallsyms.h. */
	enum { KSYMS_ZERO, KSYMS_IMAGE, KSYMS_TABLE } from;
	size_t at;   /* offset of the table of addresses in the image */
	bool narrow; /* the kernel has 32 bits; set it before reading */
};

/*
 * Appends a symbol. `type` is nm(1)'s letter, `name` the offset of the name in
 * k->names, to which the caller has appended it.
 */
void ksyms_add(struct ksyms *k, uint64_t addr, char type, size_t name);

/* Adds to all addresses, and sets sizes: a function ends at the next symbol. */
void ksyms_move(struct ksyms *k, uint64_t by);
void ksyms_done(struct ksyms *k);

/* Brings symbols into rising order, and sets their sizes. */
void ksyms_end(struct ksyms *k);

/*
 * Reads lines of `ADDRESS TYPE NAME [MODULE]`: System.map, or /proc/kallsyms.
 * Returns false on failure: the reason is in *err, which stays empty if not
 * even the first line has that form.
 */
bool ksyms_list(const char *p, size_t len, struct ksyms *k, struct buf *err);

#endif
