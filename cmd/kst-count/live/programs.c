/* SPDX-License-Identifier: ISC */
#include "live/programs.h"

#include <string.h>

static struct {
	struct program v[PROGRAMS_MAX];
	const uint8_t *code[PROGRAMS_MAX];
	unsigned n; /* up to the last one that is known by its code */
} all;

void
programs_init(
    const struct program v[PROGRAMS_MAX], const uint8_t *code, size_t size)
{
	for (unsigned i = 0; i < PROGRAMS_MAX && v[i].size <= size; i++) {
		all.v[i] = v[i];
		all.code[i] = code;
		code += v[i].size;
		size -= v[i].size;
		all.n = v[i].size > 0 ? i + 1 : all.n;
	}
}

uint64_t
programs_fit(uint64_t of, uint64_t addr, const uint8_t *p, size_t n)
{
	uint64_t fit = 0;

	for (unsigned i = 0; i < all.n; i++) {
		const uint64_t at = addr - all.v[i].low, size = all.v[i].size;

		if ((of >> i & 1) && at < size && n <= size - at &&
		    memcmp(all.code[i] + at, p, n) == 0)
			fit |= UINT64_C(1) << i;
	}
	return fit;
}
