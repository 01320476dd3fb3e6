/* SPDX-License-Identifier: ISC */
/*
 * From addresses to names: .sym and .dbg files, laid over address spaces by
 * sid-ID.map files.
 */
#ifndef SYMS_H
#define SYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elfs;
struct spec;

enum { SPACES_MAX = 65535 };

/* A function; names live as long as struct syms. */
struct func {
	uint64_t addr, end; /* within its module; end 0: up to the next */
	const char *raw;    /* as in the file */
	const char *name;   /* escaped for event text */
	uint32_t raw_len, name_len;
	uint32_t order;		 /* in the file */
	struct spec *args, *ret; /* from .dbg, or NULL */
};

struct intern;
struct syms;

/* In module.c; the name's texts go into the set. */
void func_set_name(
    struct func *f, struct intern *text, const char *p, size_t len);

/*
 * `relative`: addresses in .sym files count from the mapping. elfs goes first
 * and must outlive the result.
 */
struct syms *syms_new(
    const char *dir, bool relative, bool lp64, struct elfs *elfs);
void syms_free(struct syms *s);

/* The number of a session's address space, read at first sight. */
uint32_t syms_space(struct syms *s, const char *sid, size_t len);

/*
 * Adds a library that was loaded later (dlopen). Where another was, which has
 * been closed, a new version of the space begins: syms_newest() is its number.
 */
void syms_dlopen(
    struct syms *s, uint32_t space, uint64_t base, const char *path);

/* The kernel's space, of the names in DIR/kallsyms; once. */
uint32_t syms_kernel(struct syms *s);

uint32_t syms_newest(const struct syms *s, uint32_t space);

/*
 * A 48-bit address with its upper 16 bits: copies of bit 47 in the trace of a
 * whole machine, as QEMU's plugin writes it.
 */
uint64_t syms_full_addr(const struct syms *s, uint32_t space, uint64_t addr);

/* The function at a 48-bit address, or NULL. */
const struct func *syms_find(struct syms *s, uint32_t space, uint64_t addr);

/* Whether a file could not be read or had wrong lines. */
bool syms_failed(const struct syms *s);

#endif
