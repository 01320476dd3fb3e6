/* SPDX-License-Identifier: ISC */
/* The functions of mapped files. */
#ifndef MODULE_H
#define MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "io/fault.h"

struct elfsym;
struct intern;
struct spec;

/* Records have 48 bits of an address. */
static const uint64_t MASK48 = 0xffffffffffff;

/* A line of a .sym file. */
struct sym {
	uint64_t addr, end; /* within its module; end 0: up to the next */
	uint32_t order;	    /* in the file */
	uint32_t len;
	const char *name; /* NULL: the end of the function before */
	struct spec *specs[2];
};

struct module {
	char *path;
	char *build;	  /* id in hexadecimal, or "" */
	struct sym *syms; /* by address */
	size_t n, cap;
	struct elfsym *elf; /* if there are no syms: the file, if usable */
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
 * The number of a path's module, which is read when the path first comes.
 * `build` is its build id in hexadecimal, or "".
 */
uint32_t modules_get(struct modules *s, const char *path, const char *build);

/*
 * The file of a module without functions, opened when it is first asked for,
 * and loaded where it was linked for or else at 0. NULL if nothing can be taken
 * from it.
 */
const struct elfsym *modules_elf(
    struct modules *s, uint32_t module, bool linked);

/*
 * The last line at or before an address, or NULL; its end is not checked.
 */
struct sym *module_sym(const struct module *m, uint64_t addr);

#endif
