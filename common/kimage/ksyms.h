/* SPDX-License-Identifier: ISC */
/*
 * Private to the room: a table of symbols, and the lists that are read into it.
 */
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
	/* What the addresses count from; a table of Linux need not say. */
	enum { KSYMS_ZERO, KSYMS_IMAGE, KSYMS_TABLE } from;
	size_t at; /* where the table was, in the image */
};

/* Appends a symbol of nm(1)'s type, whose name was appended at `name`. */
void ksyms_add(struct ksyms *k, uint64_t addr, char type, size_t name);

/* Adds to all addresses; a function reaches to the next symbol from then on. */
void ksyms_move(struct ksyms *k, uint64_t by);
void ksyms_done(struct ksyms *k);

/*
 * Reads lines of `ADDRESS TYPE NAME [MODULE]`: System.map, or /proc/kallsyms.
 * Returns false when the text does not begin with one, or with the reason in
 * *err.
 */
bool ksyms_list(const char *p, size_t len, struct ksyms *k, struct buf *err);

#endif
