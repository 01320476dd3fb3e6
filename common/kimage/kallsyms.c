/* SPDX-License-Identifier: ISC */
/*
 * Format: scripts/kallsyms.c of Linux. Names are made of 256 tokens. The table
 * of the tokens' offsets is easy to recognise, and the others are around it:
 *
 *   to 6.1      addresses, number, names, markers, tokens, offsets of tokens
 *   6.2, 6.3    the same with the order of names before the tokens
 *   from 6.4    number, names, markers, tokens, offsets of tokens, addresses
 *
 * A marker is the place of each 256th name. Addresses are 32 bits each:
 * distances from a base, a word after them; where one is negative, the others
 * are absolute. Since 7.1 they are distances from their own places, without a
 * base. The base, and what each table is aligned to, have the kernel's size of
 * a word.
 */
#include "kimage/kallsyms.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/port.h"
#include "base/xalloc.h"
#include "kimage/ksyms.h"

enum {
	TOKENS = 256,
	WORD = 8,   /* of 64 bits */
	MARK = 256, /* names a marker */
	NAMES_MIN = 256,
	NAMES_MAX = PORT_LIMIT(1 << 22, 1 << 14),
	NAME_LEN = 512,	  /* KSYM_NAME_LEN */
	REACH = 32 << 20, /* from the number of names to the tokens */
	STEPS_MAX =
	    PORT_LIMIT(1 << 27, 1 << 17), /* places and names that are tried */
	TEXT_MAX = 128 << 20		  /* bytes of all names */
};

struct table {
	const uint8_t *p;
	size_t len;
	size_t tokens, index; /* the tokens, and their offsets */
	size_t number, names, n;
	uint32_t *marker;
	size_t steps;
	size_t word; /* bytes of an address */
};

static uint32_t
u16(const uint8_t *p)
{
	return (uint32_t)uint_load(p, 2, false);
}

static uint32_t
u32(const uint8_t *p)
{
	return (uint32_t)uint_load(p, 4, false);
}

static size_t
aligned(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

static const char *
token(const struct table *t, unsigned i)
{
	return (const char *)t->p + t->tokens +
	       u16(t->p + t->index + 2 * (size_t)i);
}

/* Whether the offsets at `at` are those of the strings before them. */
static bool
is_index(struct table *t, size_t at)
{
	const uint8_t *v = t->p + at;
	size_t end = at, last;

	if (u16(v) != 0 || u16(v + 2) < 2)
		return false;
	for (unsigned i = 1; i < TOKENS; i++)
		if (u16(v + 2 * i) - u16(v + 2 * i - 2) - 1 >= NAME_LEN)
			return false;
	last = u16(v + 2 * (TOKENS - 1));
	while (end > 0 && at - end < WORD && t->p[end - 1] == 0)
		end--;
	if (end == at)
		return false;
	while (end > 0 && at - end < NAME_LEN && t->p[end - 1] != 0)
		end--;
	if (end < last)
		return false;
	t->tokens = end - last;
	t->index = at;
	for (unsigned i = 1; i < TOKENS; i++)
		if (t->p[t->tokens + u16(v + 2 * i) - 1] != 0)
			return false;
	return true;
}

/* The place after a name's length, which *len becomes. */
static size_t
name_at(const struct table *t, size_t at, unsigned *len)
{
	*len = t->p[at++];
	if (*len & 0x80)
		*len = (*len & 0x7f) | (unsigned)t->p[at++] << 7;
	return at;
}

/* Whether the markers at `at` are those of the names that were walked. */
static bool
has_markers(const struct table *t, size_t at)
{
	const size_t n = (t->n + MARK - 1) / MARK;

	if (at + 4 * n > t->tokens)
		return false;
	for (size_t i = 0; i < n; i++)
		if (u32(t->p + at + 4 * i) != t->marker[i])
			return false;
	return true;
}

/* Whether there are n names, the first one at t->names. */
static bool
are_names(struct table *t)
{
	size_t at = t->names;
	unsigned len;

	for (size_t i = 0; i < t->n; i++) {
		if (i % MARK == 0)
			t->marker[i / MARK] = (uint32_t)(at - t->names);
		at = name_at(t, at, &len);
		if (len == 0 || at + len > t->tokens ||
		    t->steps++ > STEPS_MAX ||
		    strchr("aAbBcCdDgGiInNpPrRsStTuUvVwW?-",
			*token(t, t->p[at])) == NULL)
			return false;
		at += len;
	}
	return has_markers(t, aligned(at, 4)) ||
	       has_markers(t, aligned(at, WORD));
}

static bool
find_names(struct table *t)
{
	const size_t low = t->tokens > REACH ? t->tokens - REACH : 0;

	for (size_t at = t->tokens & ~(size_t)3; at >= low + 4;) {
		at -= 4;
		t->n = u32(t->p + at);
		if (t->steps++ > STEPS_MAX)
			return false;
		if (t->n < NAMES_MIN || t->n > NAMES_MAX)
			continue;
		t->number = at;
		t->names = at + 4;
		if (are_names(t))
			return true;
		t->names = at + t->word;
		if (t->word == WORD && at % WORD == 0 && are_names(t))
			return true;
	}
	return false;
}

static bool
are_rising(const struct ksyms *k)
{
	for (size_t i = 2; i < k->n; i++)
		if (k->v[i].st_value < k->v[i - 1].st_value)
			return false;
	return k->v[k->n - 1].st_value > k->v[1].st_value;
}

/* Distances from a base, which is at `base`. */
static bool
read_distances(const struct table *t, size_t at, size_t base, struct ksyms *k)
{
	bool absolute = false;
	uint64_t from;

	if (base > t->len || t->len - base < t->word || at > t->len ||
	    t->len - at < 4 * t->n)
		return false;
	from = uint_load(t->p + base, (unsigned)t->word, false);
	for (size_t i = 0; i < t->n; i++)
		absolute |= u32(t->p + at + 4 * i) >> 31;
	for (size_t i = 0; i < t->n; i++) {
		const uint32_t v = u32(t->p + at + 4 * i);

		k->v[i + 1].st_value = !absolute ? from + v
				       : v >> 31 ? from + (uint32_t)~v
						 : v;
	}
	k->from = from == 0 ? KSYMS_IMAGE : KSYMS_ZERO;
	return u32(t->p + at) == 0 && are_rising(k);
}

/* Distances from their own places. */
static bool
read_places(const struct table *t, size_t at, struct ksyms *k)
{
	if (at > t->len || t->len - at < 4 * t->n)
		return false;
	k->from = KSYMS_TABLE;
	k->at = at;
	for (size_t i = 1; i <= t->n; i++, at += 4)
		k->v[i].st_value = at + (uint64_t)(int32_t)u32(t->p + at);
	return are_rising(k);
}

static bool
read_addresses(const struct table *t, struct ksyms *k)
{
	const size_t after = t->index + 2 * TOKENS;
	const size_t size = aligned(4 * t->n, t->word);
	const size_t base = t->number - t->word; /* before the number */

	return read_distances(
		   t, after, aligned(after + 4 * t->n, t->word), k) ||
	       (t->number >= size + t->word &&
		   read_distances(t, base - size, base, k)) ||
	       read_places(t, after, k);
}

/* The first character of a name is the symbol's type. */
static bool
read_names(const struct table *t, struct ksyms *k)
{
	size_t at = t->names;
	unsigned len;

	buf_addc(&k->names, 0);
	for (size_t i = 0; i < t->n; i++, at += len) {
		const size_t from = k->names.len;

		at = name_at(t, at, &len);
		for (unsigned j = 0; j < len && k->names.len - from < NAME_LEN;
		     j++)
			buf_adds(&k->names, token(t, t->p[at + j]) + (j == 0));
		buf_addc(&k->names, 0);
		if (k->names.len > TEXT_MAX)
			return false;
		ksyms_add(k, 0, *token(t, t->p[at]), from);
	}
	return true;
}

void
kallsyms_read(const uint8_t *p, size_t len, struct ksyms *k)
{
	struct table t = {.p = p, .len = len, .word = k->narrow ? 4 : WORD};
	bool found = false;

	t.marker = xreallocn(NULL, NAMES_MAX / MARK, sizeof *t.marker);
	for (size_t at = 0; !found && at + 2 * TOKENS <= len; at += 4)
		found = is_index(&t, at) && find_names(&t);
	free(t.marker);
	if (found && (!read_names(&t, k) || !read_addresses(&t, k)))
		k->n = 0;
}
