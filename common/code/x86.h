/* SPDX-License-Identifier: ISC */
/* Private to common/code: the instructions of x86_64 and i386. */
#ifndef KST_X86_H
#define KST_X86_H

#include "code/part.h"

/* The length of the one at an offset, 0 without one; *pad: it does nothing. */
size_t code_x86_length(const struct same_code *c, size_t at, bool *pad);

/* Writes down the instruction at an offset. */
void code_x86_put(const struct code *c, size_t at);

#endif
