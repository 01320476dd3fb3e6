/* SPDX-License-Identifier: ISC */
/*
 * Reads Linux' loaded modules from the guest's memory: where each has its code,
 * its symbols and, on x86_64, its unwind tables. The BTF of the kernel's file
 * says where `struct module` has them.
 */
#ifndef KST_MODULES_H
#define KST_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include "linux/reader.h"

struct elfsym;
struct modules;
struct unwinder;

/* Modules that are read at most, also one again and again. */
enum { MODULES_MAX = 256 };

/* Whether a kernel's file has what the rest needs, as far as names tell. */
bool modules_readable(struct elfsym *kernel);

/*
 * For a kernel's file and the unwinder of its processor, which has to live as
 * long; r must not move. The file is read when a module is first looked for.
 * Without an unwinder (NULL) there are only symbols, also those of code that is
 * only there while a module begins.
 */
struct modules *modules_new(
    struct elfsym *kernel, struct unwinder *u, const struct reader *r);
void modules_free(struct modules *m);

/*
 * The guest has run: from now on, each module is looked at once more before it
 * is unwound through.
 */
void modules_doubt(struct modules *m);

/*
 * Puts the module that has code at an address to use in the unwinder. Returns
 * false if there is none, or if it cannot be read.
 */
bool modules_find(struct modules *m, uint64_t addr);

/*
 * The symbols for an address, of a module that was found, each as
 * `ext4_write_begin [ext4]`. NULL: none.
 */
struct elfsym *modules_symbols(const struct modules *m, uint64_t addr);

/*
 * How it is seen that a module is still there: its name is at name_at, and the
 * address of each part of its code, if that has a size, at base_at. `number`
 * counts what was read, from 0 on.
 */
struct module_place {
	unsigned number;
	uint64_t name_at;
	struct module_part {
		uint64_t low, size, base_at;
	} part[2];
};

/* Of a module for which modules_symbols() has symbols. */
struct module_place modules_place(const struct modules *m, uint64_t addr);

#endif
