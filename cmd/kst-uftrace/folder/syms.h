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
 * `relative`: addresses in .sym files count from the mapping. elfs goes first;
 * it and dir must outlive the result.
 */
struct syms *syms_new(
    const char *dir, bool relative, bool lp64, struct elfs *elfs);
void syms_free(struct syms *s);

/*
 * A view's number: the mappings of a session, which are its sid-ID.map, read
 * at first sight, and the libraries that were added since.
 */
uint32_t syms_view(struct syms *s, const char *sid, size_t len);

/*
 * Adds a library that was loaded later (dlopen). Returns the view's number,
 * another one where the library takes the place of one that has been closed.
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

/* The functions of mapped files, in module.c ------------------------------ */

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
 * The number of a path's module, read at first sight. `build` is its build id
 * in hexadecimal, or "".
 */
uint32_t modules_get(struct modules *s, const char *path, const char *build);

/*
 * The file of a module without functions, opened at first sight, loaded where
 * it was linked for or else at 0; NULL if nothing can be taken from it.
 */
const struct elfsym *modules_elf(
    struct modules *s, uint32_t module, bool linked);

/*
 * The last line at or before an address, or NULL; its end is not checked.
 */
struct sym *module_sym(const struct module *m, uint64_t addr);

/* ELF files, in elfs.c ----------------------------------------------------- */

/* The ELF files that the user gives. */
struct elfs *elfs_new(void);
void elfs_free(struct elfs *e);

/* A file as elfsym_load() takes it; -1 after a message. */
int elfs_add(struct elfs *e, const char *spec);

/* The function at an address of a whole machine. */
bool elfs_find(const struct elfs *e, uint64_t addr, struct elfsym_func *func);

/*
 * The function at `at` in the mapping of the file `path`, which begins at
 * `start`.
 */
bool elfs_find_mapped(struct elfs *e, const char *path, uint64_t start,
    uint64_t at, struct elfsym_func *func);

/*
 * The file of a map, or NULL. It must have that build id or, if none is known
 * (""), not be younger than the trace; else it is left out with a message.
 */
struct elfsym *elfs_open(const char *path, const char *build, time_t trace);

#endif
