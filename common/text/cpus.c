/* SPDX-License-Identifier: ISC */
/* Parses masks and lists of CPUs. */
#include "text/cpus.h"

#include <string.h>

#include "base/buf.h"
#include "base/num.h"

static int
parse_mask(struct cpus *c, const char *digits)
{
	size_t n;
	uint64_t v;

	while (*digits == '0' && digits[1])
		digits++;
	n = strlen(digits);
	if (n == 0 || n > CPUS_MAX / 4)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (num_hex(digits + n - 1 - i, 1, &v) != 0)
			return -1;
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
	uint64_t lo, hi;

	if (*text == 0)
		return -1;
	while (*text) {
		if (next_range(&text, &lo, &hi) != 0)
			return -1;
		for (; lo <= hi; lo++)
			c->want[lo / 64] |= (uint64_t)1 << lo % 64;
	}
	return 0;
}

int
cpus_option(void *cpus, const char *text, struct buf *err)
{
	bool mask = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	struct cpus *c = cpus;

	*c = (struct cpus){.some = strcmp(text, "all") != 0};
	buf_adds(err, "is not a mask (0x3), a list (0-3,8) or all");
	if (!c->some)
		return 0;
	return mask ? parse_mask(c, text + 2) : parse_list(c, text);
}

int
cpus_mask_option(void *cpus, const char *text, struct buf *err)
{
	struct cpus *c = cpus;
	uint32_t v[4] = {0}; /* the lowest bits first */

	buf_adds(err, "is not a decimal mask of at most 128 CPUs");
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
	*c = (struct cpus){.some = true};
	for (size_t i = 0; i < 4; i++)
		c->want[i / 2] |= (uint64_t)v[i] << i % 2 * 32;
	if (~(c->want[0] & c->want[1]) ==
	    0) /* OSDK's default: nothing in particular is asked for */
		memcpy(c->seen, c->want, sizeof c->seen);
	return 0;
}

bool
cpus_has(struct cpus *c, uint32_t cpu)
{
	uint64_t bit = (uint64_t)1 << cpu % 64;

	if (!c->some)
		return true;
	if (cpu >= CPUS_MAX || !(c->want[cpu / 64] & bit))
		return false;
	c->seen[cpu / 64] |= bit;
	return true;
}

static bool
is_missing(const struct cpus *c, size_t cpu)
{
	return cpu < CPUS_MAX &&
	       ((c->want[cpu / 64] & ~c->seen[cpu / 64]) >> cpu % 64 & 1);
}

bool
cpus_missing(const struct cpus *c, struct buf *out)
{
	enum { RANGES_MAX = 16 };
	size_t ranges = 0;

	for (size_t i = 0; c->some && i < CPUS_MAX; i++) {
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
