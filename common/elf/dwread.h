/* SPDX-License-Identifier: ISC */
/*
 * Reading the numbers of DWARF from bytes that may end anywhere. A read
 * beyond the end gives 0, moves to the end and sets `bad`, so that a caller
 * may read on and ask once.
 */
#ifndef KST_DWREAD_H
#define KST_DWREAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct dwread {
	const unsigned char *p, *end;
	bool big; /* byte order */
	bool bad;
};

static inline size_t
dw_left(const struct dwread *r)
{
	return (size_t)(r->end - r->p);
}

static inline void
dw_fail(struct dwread *r)
{
	r->p = r->end;
	r->bad = true;
}

static inline void
dw_skip(struct dwread *r, uint64_t n)
{
	if (n > dw_left(r))
		dw_fail(r);
	else
		r->p += n;
}

static inline unsigned
dw_u8(struct dwread *r)
{
	if (r->p == r->end) {
		r->bad = true;
		return 0;
	}
	return *r->p++;
}

/* An unsigned number of 1 to 8 bytes. */
static inline uint64_t
dw_uint(struct dwread *r, unsigned size)
{
	uint64_t v = 0;

	if (dw_left(r) < size) {
		dw_fail(r);
		return 0;
	}
	for (unsigned i = 0; i < size; i++)
		v |= (uint64_t)r->p[r->big ? size - 1 - i : i] << 8 * i;
	r->p += size;
	return v;
}

/* LEB128: bits beyond the 64th are lost, as all readers do it. */
static inline uint64_t
dw_uleb(struct dwread *r)
{
	uint64_t v = 0;
	unsigned shift = 0, byte;

	do {
		byte = dw_u8(r);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += shift < 64 ? 7 : 0;
	} while (byte & 0x80);
	return v;
}

static inline int64_t
dw_sleb(struct dwread *r)
{
	uint64_t v = 0;
	unsigned shift = 0, byte;

	do {
		byte = dw_u8(r);
		if (shift < 64) {
			v |= (uint64_t)(byte & 0x7f) << shift;
			shift += 7;
		}
	} while (byte & 0x80);
	if (shift < 64 && (byte & 0x40))
		v |= ~UINT64_C(0) << shift;
	return (int64_t)v;
}

/* A string that ends with NUL; "" when it does not. */
static inline const char *
dw_str(struct dwread *r)
{
	const unsigned char *s = r->p, *nul = NULL;

	if (r->p != r->end)
		nul = memchr(r->p, 0, dw_left(r));
	if (nul == NULL) {
		dw_fail(r);
		return "";
	}
	r->p = nul + 1;
	return (const char *)s;
}

/*
 * A length as it begins units: *size becomes 4 or 8, the size of offsets in
 * what follows. Sets bad for the reserved values.
 */
static inline uint64_t
dw_length(struct dwread *r, unsigned *size)
{
	uint64_t len = dw_uint(r, 4);

	*size = 4;
	if (len == 0xffffffff) {
		*size = 8;
		len = dw_uint(r, 8);
	} else if (len >= 0xfffffff0) {
		dw_fail(r);
	}
	return len;
}

#endif
