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

enum { AT_ONCE = 4 };

uint64_t
hash_fixed_more(uint64_t h, const void *p, size_t len)
{
	const uint64_t prime = UINT64_C(0x100000001b3);
	const unsigned char *s = p;

	for (; len >= AT_ONCE; len -= AT_ONCE, s += AT_ONCE) {
		h = (h ^ s[0]) * prime;
		h = (h ^ s[1]) * prime;
		h = (h ^ s[2]) * prime;
		h = (h ^ s[3]) * prime;
	}
	while (len-- > 0)
		h = (h ^ *s++) * prime;
	return h;
}

uint64_t
hash_fixed_end(uint64_t h)
{
	h = (h ^ h >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	return h ^ h >> 32;
}

uint64_t
hash_fixed(const void *p, size_t len)
{
	return hash_fixed_end(hash_fixed_more(HASH_FIXED_FIRST, p, len));
}
