/* SPDX-License-Identifier: ISC */
#include "set/hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t
hash_bytes(const void *p, size_t len)
{
	return XXH3_64bits(p, len);
}
