/* SPDX-License-Identifier: ISC */
#include "base/num.h"

#include <stdbool.h>
#include <string.h>

int
num_u64(const char *s, size_t len, uint64_t *val)
{
	uint64_t v = 0;

	if (len == 0)
		return -1;
	for (size_t i = 0; i < len; i++) {
		unsigned d = (unsigned char)s[i] - (unsigned)'0';

		if (d > 9 || __builtin_mul_overflow(v, (uint64_t)10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)d, &v))
			return -1;
	}
	*val = v;
	return 0;
}

int
num_hex(const char *s, size_t len, uint64_t *val)
{
	uint64_t v = 0;

	if (len == 0)
		return -1;
	for (size_t i = 0; i < len; i++) {
		unsigned c = (unsigned char)s[i];
		unsigned d = c - '0' <= 9	   ? c - '0'
			     : (c | 32) - 'a' <= 5 ? (c | 32) - 'a' + 10
						   : 16;

		if (d > 15 || v >> 60)
			return -1;
		v = v << 4 | d;
	}
	*val = v;
	return 0;
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

/*
 * The places before and after a dot, of which there is at least one; false
 * when a byte is neither digit nor dot.
 */
static bool
split(const char *s, size_t len, size_t *whole, size_t *places)
{
	const char *dot = memchr(s, '.', len);

	*whole = dot ? (size_t)(dot - s) : len;
	*places = dot ? len - *whole - 1 : 0;
	for (size_t i = 0; i < len; i++)
		if ((s[i] < '0' || s[i] > '9') && i != *whole)
			return false;
	return *whole + *places > 0;
}

int
num_seconds(const char *s, size_t len, uint64_t *ns)
{
	uint64_t sec = 0, unit = 1000000000, rest = 0;
	size_t whole, places;

	if (!split(s, len, &whole, &places) || whole > 9)
		return -1;
	if (whole)
		num_u64(s, whole, &sec);
	for (size_t i = 0; i < places; i++) {
		unit /= 10;
		rest += (uint64_t)(s[whole + 1 + i] - '0') * unit;
	}
	*ns = sec * 1000000000 + rest;
	return 0;
}

int
num_real(const char *s, size_t len, double *val)
{
	double v = 0, unit = 1;
	size_t whole, places;

	/* of more digits than 15 the last would not be exact */
	if (!split(s, len, &whole, &places) || whole + places > 15)
		return -1;
	for (size_t i = 0; i < len; i++) {
		if (i == whole)
			continue;
		v = v * 10 + (s[i] - '0');
		if (i > whole)
			unit *= 10;
	}
	*val = v / unit;
	return 0;
}
