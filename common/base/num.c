/* SPDX-License-Identifier: ISC */
#include "base/num.h"

#include <stdlib.h>
#include <string.h>

static inline int
number(const char *s, size_t len, unsigned base, uint64_t *val)
{
	uint64_t v = 0;

	if (len == 0)
		return -1;
	for (size_t i = 0; i < len; i++) {
		unsigned c = (unsigned char)s[i];
		unsigned d = c - '0' <= 9	   ? c - '0'
			     : (c | 32) - 'a' <= 5 ? (c | 32) - 'a' + 10
						   : base;

		if (d >= base ||
		    __builtin_mul_overflow(v, (uint64_t)base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)d, &v))
			return -1;
	}
	*val = v;
	return 0;
}

int
num_u64(const char *s, size_t len, uint64_t *val)
{
	return number(s, len, 10, val);
}

int
num_hex(const char *s, size_t len, uint64_t *val)
{
	return number(s, len, 16, val);
}

int
num_address(const char *s, size_t len, uint64_t *val)
{
	if (len > 2 && s[0] == '0' && (s[1] | 32) == 'x')
		return num_hex(s + 2, len - 2, val);
	return num_u64(s, len, val);
}

int
num_size(const char *s, size_t len, uint64_t *val)
{
	static const char units[] = "kMGT";
	const char *u = len ? memchr(units, s[len - 1], 4) : NULL;
	unsigned shift = u ? 10 * (unsigned)(u - units + 1) : 0;
	uint64_t v;

	if (num_u64(s, len - (u != NULL), &v) != 0 || v > UINT64_MAX >> shift)
		return -1;
	*val = v << shift;
	return 0;
}

int
num_decimal(const char *s, size_t len, uint64_t *whole, uint64_t *frac)
{
	const char *dot = memchr(s, '.', len);
	size_t n = dot ? (size_t)(dot - s) : len;
	uint64_t unit = NUM_FRAC_ONE;

	*whole = *frac = 0;
	if (n == 0 && len < 2)
		return -1;
	if (n && num_u64(s, n, whole) != 0)
		return -1;
	for (size_t i = n + 1; i < len; i++) {
		if (s[i] < '0' || s[i] > '9')
			return -1;
		unit /= 10;
		*frac += (uint64_t)(s[i] - '0') * unit;
	}
	return 0;
}

/* Seconds of ten digits at most, as times since 1970 have. */
static int
seconds(const char *s, size_t len, uint64_t *ns)
{
	uint64_t sec, frac;

	if (num_decimal(s, len, &sec, &frac) != 0 ||
	    (len > 10 && memchr(s, '.', 11) == NULL))
		return -1;
	*ns = sec * 1000000000 + frac / (NUM_FRAC_ONE / 1000000000);
	return 0;
}

int
num_seconds(const char *s, size_t len, uint64_t *ns)
{
	uint64_t v;

	if (seconds(s, len, &v) != 0 || v >= 1000000000000000000)
		return -1;
	*ns = v;
	return 0;
}

/* *ns = v * unit / 10^9. A unit is so many 10^9, or less than that. */
static int
scale(uint64_t v, uint64_t unit, uint64_t *ns)
{
	const uint64_t e9 = 1000000000;

	if (unit % e9 == 0)
		return __builtin_mul_overflow(v, unit / e9, ns) ? -1 : 0;
	*ns = v / e9 * unit + v % e9 * unit / e9;
	return 0;
}

int
num_duration(const char *s, size_t len, uint64_t unit, uint64_t *ns)
{
	static const struct {
		char name[3];
		uint64_t ns;
	} units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000},
	    {"s", 1000000000}, {"m", 60000000000}, {"h", 3600000000000}};
	size_t digits = len;
	uint64_t v;

	while (digits && (unsigned char)(s[digits - 1] - '0') > 9 &&
	       s[digits - 1] != '.')
		digits--;
	if (digits < len) {
		size_t i = 0, n = sizeof units / sizeof *units;

		while (i < n && (strlen(units[i].name) != len - digits ||
				    memcmp(units[i].name, s + digits,
					len - digits) != 0))
			i++;
		if (i == n)
			return -1;
		unit = units[i].ns;
	}
	if (num_u64(s, digits, &v) == 0)
		return __builtin_mul_overflow(v, unit, ns) ? -1 : 0;
	if (seconds(s, digits, &v) != 0)
		return -1;
	return scale(v, unit, ns);
}

int
num_real(const char *s, size_t len, double *val)
{
	uint64_t whole, frac;
	char text[17];

	/* with more than 15 digits the last would be inexact */
	if (num_decimal(s, len, &whole, &frac) != 0 ||
	    len > 15 + (memchr(s, '.', len) != NULL))
		return -1;
	memcpy(text, s, len);
	text[len] = 0;
	*val = strtod(text, NULL);
	return 0;
}
