/* SPDX-License-Identifier: ISC */
#include "linux/btf.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/num.h"
#include "base/xalloc.h"

enum {
	MAGIC = 0xeb9f,
	HEADER = 24,	/* with the offsets of types and strings at 8 */
	TYPE = 12,	/* a name, what it is, a size or type */
	MEMBER = 12,	/* a name, a type, an offset in bits */
	NESTED = 8,	/* structures in each other, */
	LOOKS = 1 << 20 /* and all that are looked at for one */
};

enum { KIND_STRUCT = 4, KIND_UNION = 5, KINDS = 20 };

/* Bytes that follow a type of each kind, once, and for each of its parts. */
static const uint8_t once[KINDS] = {[1] = 4, [3] = 12, [14] = 4, [17] = 4};
static const uint8_t part[KINDS] = {[KIND_STRUCT] = MEMBER,
    [KIND_UNION] = MEMBER,
    [6] = 8,
    [13] = 8,
    [15] = 12,
    [19] = 12};

static uint32_t
word(const unsigned char *p)
{
	return (uint32_t)uint_load(p, 4, false);
}

static unsigned
kind_of(const unsigned char *type)
{
	return word(type + 4) >> 24 & 31;
}

static unsigned
parts_of(const unsigned char *type)
{
	return word(type + 4) & 0xffff;
}

int
btf_open(struct btf *b, const unsigned char *p, size_t len)
{
	uint64_t head, types, strings;

	*b = (struct btf){0};
	if (len < HEADER || uint_load(p, 2, false) != MAGIC)
		return -1;
	head = word(p + 4);
	types = head + word(p + 8);
	strings = head + word(p + 16);
	b->types_len = word(p + 12);
	b->strings_len = word(p + 20);
	if (types + b->types_len > len || strings + b->strings_len > len ||
	    b->strings_len == 0 || p[strings + b->strings_len - 1] != 0)
		return -1;
	b->types = p + types;
	b->strings = (const unsigned char *)p + strings;
	*xpush(b->at, b->n, b->cap) = 0; /* number 0 is `void` */
	for (size_t at = 0, kind; at + TYPE <= b->types_len;) {
		const unsigned char *t = b->types + at;

		kind = kind_of(t);
		if (kind == 0 || kind >= KINDS)
			break;
		len = TYPE + once[kind] + (size_t)part[kind] * parts_of(t);
		if (len > b->types_len - at)
			break;
		*xpush(b->at, b->n, b->cap) = (uint32_t)at;
		at += len;
	}
	return 0;
}

void
btf_close(struct btf *b)
{
	free(b->at);
	*b = (struct btf){0};
}

static bool
is_named(const struct btf *b, const unsigned char *p, const char *s, size_t n)
{
	const uint32_t at = word(p);

	return at < b->strings_len &&
	       bytes_is(s, n, (const char *)b->strings + at);
}

/* A member of a structure, in bits. */
static int64_t
find(const struct btf *b, const unsigned char *type, const char *s, size_t n,
    unsigned depth, unsigned *left)
{
	const unsigned char *m = type + TYPE;

	for (unsigned i = 0; i < parts_of(type) && *left > 0;
	     i++, m += MEMBER) {
		const uint32_t inner = word(m + 4);
		/* Where there are bit fields, the upper byte has their size. */
		const int64_t bits =
		    word(m + 8) & (word(type + 4) >> 31 ? 0xffffff : -1u);
		int64_t at;

		--*left;
		if (word(m) != 0) {
			if (is_named(b, m, s, n))
				return bits;
			continue;
		}
		if (inner == 0 || inner >= b->n || depth == NESTED ||
		    (kind_of(b->types + b->at[inner]) | 1) != KIND_UNION)
			continue;
		at = find(b, b->types + b->at[inner], s, n, depth + 1, left);
		if (at >= 0)
			return bits + at;
	}
	return -1;
}

int64_t
btf_size(const struct btf *b, const char *name)
{
	for (size_t i = 1; i < b->n; i++) {
		const unsigned char *t = b->types + b->at[i];

		if (kind_of(t) == KIND_STRUCT &&
		    is_named(b, t, name, strlen(name)))
			return (int64_t)word(t + 8);
	}
	return -1;
}

int64_t
btf_member(const struct btf *b, const char *name)
{
	const size_t n = strcspn(name, "."), all = strcspn(name, "+");
	const char *member = name + n + 1;
	unsigned left = LOOKS;
	int64_t at = -1, more = 0;

	for (size_t i = 1; i < b->n && at < 0; i++) {
		const unsigned char *t = b->types + b->at[i];

		if (kind_of(t) == KIND_STRUCT && is_named(b, t, name, n))
			at = find(b, t, member, all - n - 1, 0, &left);
	}
	if (name[all] == '+')
		more = btf_member(b, name + all + 1);
	return at < 0 || more < 0 ? -1 : at / 8 + more;
}
