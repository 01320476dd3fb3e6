/* SPDX-License-Identifier: ISC */
#include "set/hash.h"

#if __has_include(<xxhash.h>)
#define XXH_INLINE_ALL
#include <xxhash.h>
#else
#define XXH3_64bits hash_fixed
#endif

uint64_t
hash_bytes(const void *p, size_t len)
{
	return XXH3_64bits(p, len);
}

uint64_t
hash_fixed(const void *p, size_t len)
{
	const unsigned char *s = p;
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	while (len-- > 0)
		h = (h ^ *s++) * UINT64_C(0x100000001b3);
	h = (h ^ h >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 32;
}
