/* SPDX-License-Identifier: ISC */
/* Which instructions always go on to the one after them. */
#ifndef FAILS_H
#define FAILS_H

#include "decode/insn.h"

/*
 * Whether the instruction of n bytes may be the last one that a block executes:
 * by an exception, or since it leads elsewhere. Those that only change
 * registers cannot; unknown bytes may.
 */
bool insn_may_fail(enum insn_arch arch, const uint8_t *p, size_t n);

#endif
