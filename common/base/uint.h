/* SPDX-License-Identifier: ISC */
/* Numbers of either byte order in files. */
#ifndef KST_UINT_H
#define KST_UINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The number in `size` bytes, at most 8, at p, aligned or not. */
static inline uint64_t
uint_load(const void *p, size_t size, bool big)
{
	const unsigned char *at = p;
	uint64_t v = 0;

	for (size_t i = 0; i < size; i++)
		v = v << 8 | at[big ? i : size - 1 - i];
	return v;
}

#endif
