/* SPDX-License-Identifier: ISC */
/* The functions of mapped files, from .sym and .dbg files. */
#ifndef MODULE_H
#define MODULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "syms.h"

/* Records have 48 bits of an address. */
static const uint64_t MASK48 = 0xffffffffffff;

struct module {
	char *path;
	struct func *funcs; /* by address */
	size_t n, cap;
};

struct modules {
	const char *dir; /* must outlive the struct */
	bool lp64, failed;
	struct module *v; /* by path number */
	uint32_t n;
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

/*
 * The last function at or before an address, or NULL; its end is not checked.
 */
struct func *module_func(const struct module *m, uint64_t addr);

/* The next word between blanks; false at the end of the line. */
bool word_next(const char **p, const char *end, const char **w, size_t *len);

/* The next word as a hexadecimal number, with or without 0x. */
bool word_hex(const char **p, const char *end, uint64_t *v);

#endif
