/* SPDX-License-Identifier: ISC */
/*
 * What the unwinder takes from one ELF file: its code, where its functions
 * begin, its call frame information. All addresses are the file's own.
 */
#ifndef UNWIND_ELF_H
#define UNWIND_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "unwind/unwind.h"

struct orc;
struct ucfi;
struct uelf;

/* Returns NULL with a reason in *why (static). */
struct uelf *uelf_open(
    const char *path, const struct unwind_abi *abi, const char **why);

/*
 * Without a file: code at [text, text + size), and what an .eh_frame section
 * that is loaded at eh_addr holds, of which a copy is made.
 */
struct uelf *uelf_frames(const struct unwind_abi *abi, uint64_t text,
    uint64_t size, uint64_t eh_addr, const uint8_t *eh, size_t n);
void uelf_close(struct uelf *e);

/* The addresses that the file's loaded segments span. */
void uelf_span(const struct uelf *e, uint64_t *low, uint64_t *high);

/* Whether a loaded segment holds the address. */
bool uelf_holds(const struct uelf *e, uint64_t addr);

/* The code that the file has at an address, and how much: NULL, none. */
const uint8_t *uelf_code(const struct uelf *e, uint64_t addr, size_t *n);

/* Bytes of code from the file; returns how many there are, up to n. */
size_t uelf_bytes(const struct uelf *e, uint64_t addr, uint8_t *to, size_t n);

/*
 * Where the function that holds the address begins, and the next one in *end;
 * 0 when not known.
 */
uint64_t uelf_function(const struct uelf *e, uint64_t addr, uint64_t *end);

/* Where function i of n, spread over all of them, begins; 0: no such one. */
uint64_t uelf_sample(const struct uelf *e, size_t i, size_t n);

/* Its call frame information; lives as long as the file. */
struct ucfi *uelf_cfi(const struct uelf *e);

/* The kernel's own tables, NULL when it has none; the same. */
const struct orc *uelf_orc(const struct uelf *e);

#endif
