/* SPDX-License-Identifier: ISC */
/* The functions of mapped files, from .sym and .dbg files. */
#ifndef MODULE_H
#define MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "base/fault.h"
#include "syms.h"

/* Records have 48 bits of an address. */
static const uint64_t MASK48 = 0xffffffffffff;

struct module {
	char *path;
	char *build;	    /* id in hexadecimal, or "" */
	struct func *funcs; /* by address */
	size_t n, cap;
	struct elfsym *elf; /* if there are no funcs: the file, if usable */
	bool has_looked;    /* for the file */
};

struct modules {
	const char *dir; /* must outlive the struct */
	bool lp64, failed;
	time_t trace;	  /* when it was written */
	struct module *v; /* by path number */
	uint32_t n;
	size_t cap;
	struct intern *paths, *text; /* text: all names */
	struct fault bad;
};

void modules_init(struct modules *s, const char *dir, bool lp64);
void modules_done(struct modules *s);

/*
 * The number of a path's module, read at first sight. `build` is its build id
 * in hexadecimal, or "".
 */
uint32_t modules_get(struct modules *s, const char *path, const char *build);

/* The module of the kernel's functions, out of DIR/kallsyms; once. */
uint32_t modules_kernel(struct modules *s);

/*
 * The file of a module without functions, opened at first sight, loaded where
 * it was linked for or else at 0; NULL if nothing can be taken from it.
 */
const struct elfsym *modules_elf(
    struct modules *s, uint32_t module, bool linked);

/*
 * The last function at or before an address, or NULL; its end is not checked.
 */
struct func *module_func(const struct module *m, uint64_t addr);

/* The next word between blanks; false at the end of the line. */
bool word_next(const char **p, const char *end, const char **w, size_t *len);

/* The next word as a hexadecimal number, with or without 0x. */
bool word_hex(const char **p, const char *end, uint64_t *v);

#endif
