/* SPDX-License-Identifier: ISC */
/*
 * Reads Linux' loaded modules from the guest's memory: where each has its code,
 * its symbols and, on x86_64, its unwind tables. The BTF of the kernel's file
 * says where `struct module` has them.
 */
#ifndef MODULES_H
#define MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include "guest/vcpu.h"

struct modules;
struct unwinder;

/*
 * For a kernel's file and the unwinder of its processor, which has to live as
 * long; r must not move. The file is read when a module is first looked for.
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

#endif
