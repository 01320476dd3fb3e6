/* SPDX-License-Identifier: ISC */
/*
 * From addresses to names: .sym files (with the arguments that .dbg files
 * know) laid over address spaces by sid-ID.map files.
 */
#ifndef SYMS_H
#define SYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elfs;
struct spec;

enum { SPACES_MAX = 65535 };

/* A function. Names live as long as the struct syms. */
struct func {
	uint64_t addr, end; /* within its module; end 0: up to the next */
	const char *raw;    /* as in the file */
	const char *name;   /* escaped for event text */
	uint32_t raw_len, name_len;
	uint32_t order;		 /* in the file */
	struct spec *args, *ret; /* from .dbg, or NULL */
};

struct syms;

/*
 * Addresses in .sym files are relative to the mapping, if `relative`. What
 * elfs (may be NULL) knows goes first; it must outlive the result.
 */
struct syms *syms_new(
    const char *dir, bool relative, bool lp64, struct elfs *elfs);
void syms_free(struct syms *s);

/* The address space of a session, read at first sight; its number. */
uint32_t syms_space(struct syms *s, const char *sid, size_t len);

/* A library that appeared later in a space (dlopen). */
void syms_dlopen(
    struct syms *s, uint32_t space, uint64_t base, const char *path);

/*
 * A 48-bit address with the 16 bits above it: those of a whole machine, as
 * QEMU's plugin writes it, are as bit 47.
 */
uint64_t syms_full_addr(const struct syms *s, uint32_t space, uint64_t addr);

/* The function at a 48-bit address, or NULL. */
const struct func *syms_find(
    const struct syms *s, uint32_t space, uint64_t addr);

/* Whether a file could not be read, or held lines that are none of it. */
bool syms_failed(const struct syms *s);

#endif
