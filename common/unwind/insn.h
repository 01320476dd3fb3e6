/* SPDX-License-Identifier: ISC */
/* Private to the room: reading instructions. */
#ifndef INSN_H
#define INSN_H

#include <stddef.h>
#include <stdint.h>

#include "unwind/unwind.h"

enum { A64_SP = 31, RV_SP = 2 };

/* The lowest bits as a signed number. */
static inline int32_t
insn_sign(uint32_t v, int bits)
{
	uint32_t top = 1u << (bits - 1);

	return (int32_t)((v ^ top) - top);
}

static inline uint32_t
insn_word(const uint8_t *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
}

/* The length of the instruction, 0 when there is none. */
static inline size_t
insn_length(enum unwind_arch arch, const uint8_t *p, size_t left, uint32_t *w)
{
	size_t n = 4;

	if (left < 2)
		return 0;
	if (arch == UNWIND_RISCV64 && (p[0] & 3) != 3)
		n = 2;
	if (left < n)
		return 0;
	*w = (uint32_t)p[0] | (uint32_t)p[1] << 8;
	if (n == 4)
		*w |= (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
	return n;
}

#endif
