/* SPDX-License-Identifier: ISC */
/* The names of the registers that unwinding needs. */
#ifndef REGISTERS_H
#define REGISTERS_H

#include <stddef.h>

#include "unwind/unwind.h"

/* gdb's names with blanks between, in the order of their DWARF numbers. */
extern const char *const register_names[UNWIND_ARCHS];

/* A DWARF number by gdb's name; -1: not one of these. */
int register_number(enum unwind_arch arch, const char *name, size_t len);

#endif
