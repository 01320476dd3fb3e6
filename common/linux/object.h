/* SPDX-License-Identifier: ISC */
/* Variables of the kernel, by the symbols of its file. */
#ifndef KST_OBJECT_H
#define KST_OBJECT_H

#include <stdbool.h>
#include <stdint.h>

struct elfsym;

/*
 * The address of a variable in the kernel's file; false if the variable is not
 * there.
 */
bool object_find(struct elfsym *kernel, const char *name, uint64_t *to);

/* Whether the file has what every Linux has, and other kernels do not. */
bool object_is_linux(struct elfsym *kernel);

#endif
