/* SPDX-License-Identifier: ISC */
/*
 * Gives addresses their names: .sym and .dbg files, placed in address spaces by
 * sid-ID.map files.
 */
#ifndef SYMS_H
#define SYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "elf/elfsym.h"
#include "io/fault.h"

struct elfs;
struct spec;

enum { VIEWS_MAX = 65535 };

/* The name of a function, which lives as long as struct syms. */
struct func {
	const char *name; /* as in its file */
	size_t len;
	const struct spec *specs[2]; /* from .dbg: arguments, result; or NULL */
};

struct syms;

/*
 * `relative`: addresses in .sym files count from the mapping. ELF files in elfs
 * come first. elfs and dir must outlive the result.
 */
struct syms *syms_new(
    const char *dir, bool relative, bool lp64, struct elfs *elfs);
void syms_free(struct syms *s);

/*
 * The number of a view: the mappings of a session, as in its sid-ID.map, which
 * is read when the session first comes, and the libraries that were added
 * since.
 */
uint32_t syms_view(struct syms *s, const char *sid, size_t len);

/*
 * Adds a library that was loaded later (dlopen). Returns the view's number,
 * which is a new one if the library replaces a closed one.
 */
uint32_t syms_dlopen(
    struct syms *s, uint32_t view, uint64_t base, const char *path);

/*
 * A 48-bit address with its upper 16 bits: copies of bit 47 in the trace of a
 * whole machine, as QEMU's plugin writes it.
 */
uint64_t syms_full_addr(const struct syms *s, uint32_t view, uint64_t addr);

/* The function at a 48-bit address; false if none is known. */
bool syms_find(struct syms *s, uint32_t view, uint64_t addr, struct func *func);

/* Whether a file could not be read or had wrong lines. */
bool syms_failed(const struct syms *s);

#endif
