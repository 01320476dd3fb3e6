/* SPDX-License-Identifier: ISC */
/*
 * What an OS file says of the kernel's functions: where stacks end, and what an
 * interrupt's entry has saved.
 */
#ifndef OSRULES_H
#define OSRULES_H

#include "unwind/unwind.h"

struct elfsym;
struct osfile;

/* Tells the unwinder's module of the kernel; warns when nothing is there. */
void osrules_apply(const struct osfile *os, const struct elfsym *sym,
    const struct unwind_abi *abi, struct unwind_module *m);

#endif
