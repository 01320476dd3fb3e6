/* SPDX-License-Identifier: ISC */
/* How CPU masks and lists are written. */
#include "text/cpus.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/xalloc.h"

static void
set_size(struct cpus *c, size_t bits)
{
	cpus_done(c);
	c->words = (bits + 63) / 64;
	c->want = xcalloc(c->words, sizeof *c->want);
	c->seen = xcalloc(c->words, sizeof *c->seen);
}

void
cpus_done(struct cpus *c)
{
	free(c->want);
	free(c->seen);
	memset(c, 0, sizeof *c);
}

static void
set(struct cpus *c, uint64_t cpu)
{
	c->want[cpu / 64] |= (uint64_t)1 << cpu % 64;
}

static int
parse_mask(struct cpus *c, const char *digits)
{
	size_t n = strlen(digits);
	uint64_t v;

	while (n > 1 && *digits == '0') {
		digits++;
		n--;
	}
	if (n == 0 || n > CPUS_MAX / 4 ||
	    strspn(digits, "0123456789abcdefABCDEF") != n)
		return -1;
	set_size(c, n * 4);
	for (size_t i = 0; i < n; i++) {
		num_hex(digits + n - 1 - i, 1, &v);
		c->want[i / 16] |= v << i % 16 * 4;
	}
	return 0;
}

/* One `3` or `3-5` of a list; *p moves past it and its comma. */
static int
next_range(const char **p, uint64_t *lo, uint64_t *hi)
{
	size_t n = strspn(*p, "0123456789");

	if (num_u64(*p, n, lo) != 0)
		return -1;
	*hi = *lo;
	*p += n;
	if (**p == '-') {
		n = strspn(++*p, "0123456789");
		if (num_u64(*p, n, hi) != 0)
			return -1;
		*p += n;
	}
	if (*hi < *lo || *hi >= CPUS_MAX)
		return -1;
	if (**p == ',')
		return *++*p ? 0 : -1;
	return **p ? -1 : 0;
}

static int
parse_list(struct cpus *c, const char *text)
{
	uint64_t lo, hi, max = 0;
	const char *p;

	if (*text == 0)
		return -1;
	for (p = text; *p;) {
		if (next_range(&p, &lo, &hi) != 0)
			return -1;
		if (hi > max)
			max = hi;
	}
	set_size(c, max + 1);
	for (p = text; *p;) {
		next_range(&p, &lo, &hi);
		while (lo <= hi)
			set(c, lo++);
	}
	return 0;
}

int
cpus_parse(struct cpus *c, const char *text)
{
	if (strcmp(text, "all") == 0) {
		cpus_done(c);
		return 0;
	}
	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		return parse_mask(c, text + 2);
	return parse_list(c, text);
}

int
cpus_parse_decimal(struct cpus *c, const char *text)
{
	uint32_t v[4] = {0}; /* the lowest bits first */

	if (*text == '+')
		text++;
	if (*text == 0)
		return -1;
	for (; *text; text++) {
		uint64_t carry = (unsigned char)*text - (unsigned)'0';

		if (carry > 9)
			return -1;
		for (size_t i = 0; i < 4; i++) {
			carry += (uint64_t)v[i] * 10;
			v[i] = (uint32_t)carry;
			carry >>= 32;
		}
		if (carry)
			return -1;
	}
	set_size(c, 128);
	for (size_t i = 0; i < 4; i++)
		c->want[i / 2] |= (uint64_t)v[i] << i % 2 * 32;
	if (~(c->want[0] & c->want[1]) ==
	    0) /* OSDK's default: nothing in particular is asked for */
		memcpy(c->seen, c->want, c->words * sizeof *c->seen);
	return 0;
}

int
cpus_option(void *cpus, const char *arg, struct buf *err)
{
	buf_adds(err, "is not a mask (0x3), a list (0-3,8) or all");
	return cpus_parse(cpus, arg);
}

int
cpus_mask_option(void *cpus, const char *arg, struct buf *err)
{
	buf_adds(err, "is not a decimal mask of 128 bits");
	return cpus_parse_decimal(cpus, arg);
}

bool
cpus_has(struct cpus *c, uint32_t cpu)
{
	uint64_t bit = (uint64_t)1 << cpu % 64;

	if (c->want == NULL)
		return true;
	if (cpu / 64 >= c->words || !(c->want[cpu / 64] & bit))
		return false;
	c->seen[cpu / 64] |= bit;
	return true;
}

static bool
is_missing(const struct cpus *c, size_t cpu)
{
	return cpu / 64 < c->words &&
	       ((c->want[cpu / 64] & ~c->seen[cpu / 64]) >> cpu % 64 & 1);
}

bool
cpus_missing(const struct cpus *c, struct buf *out)
{
	enum { RANGES_MAX = 16 };
	size_t ranges = 0, bits = c->words * 64;

	for (size_t i = 0; i < bits; i++) {
		size_t end = i;

		if (!is_missing(c, i))
			continue;
		while (is_missing(c, end + 1))
			end++;
		if (ranges++ == RANGES_MAX) {
			buf_adds(out, ",...");
			break;
		}
		buf_printf(out, ranges > 1 ? ",%zu" : "%zu", i);
		if (end > i)
			buf_printf(out, "-%zu", end);
		i = end;
	}
	return ranges > 0;
}
