/* SPDX-License-Identifier: ISC */
/*
 * Stacks of one program begin alike: the eight bytes after what all share are
 * compared as a number first.
 */
#include "set/textsort.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

/* Bytes [at, at + 8) of the text in their order; zeros beyond its end. */
static uint64_t
key_at(const struct text *s, size_t at)
{
	const size_t left = s->len - at;
	uint64_t k = 0;

	if (left > 0)
		memcpy(&k, s->p + at, left < 8 ? left : 8);
	return be64toh(k);
}

static int
compare(const void *va, const void *vb)
{
	const struct text *a = va, *b = vb;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return bytes_cmp(a->p, a->len, b->p, b->len);
}

void
textsort(struct text *v, size_t n)
{
	size_t shared = n > 0 ? v[0].len : 0;

	for (size_t i = 1; i < n; i++)
		shared = bytes_shared(v[0].p, shared, v[i].p, v[i].len);
	for (size_t i = 0; i < n; i++)
		v[i].key = key_at(&v[i], shared);
	if (n > 0)
		qsort(v, n, sizeof *v, compare);
}
