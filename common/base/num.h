/* SPDX-License-Identifier: ISC */
/*
 * Numbers as people and formats write them. Each num_* parses all of s[0..len).
 * It returns 0, or -1 if the text is not a number of that kind or the number
 * does not fit.
 */
#ifndef KST_NUM_H
#define KST_NUM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Decimal digits. */
int num_u64(const char *s, size_t len, uint64_t *val);

/* Hexadecimal digits without 0x. */
int num_hex(const char *s, size_t len, uint64_t *val);

/* Decimal digits, or hexadecimal ones after 0x. */
int num_address(const char *s, size_t len, uint64_t *val);

/*
 * Decimal digits, perhaps followed by k, M, G or T: times 1024, 1024^2, 1024^3
 * or 1024^4.
 */
int num_size(const char *s, size_t len, uint64_t *val);

/*
 * A decimal such as 3, 0.1, .5 or 12., as an integer and a fraction in units of
 * 10^-18; later digits are dropped.
 */
#define NUM_FRAC_ONE ((uint64_t)1000000000000000000)
int num_decimal(const char *s, size_t len, uint64_t *whole, uint64_t *frac);

/* Seconds such as 3, 0.1 or .5, below 1e9, in nanoseconds, rounded down. */
int num_seconds(const char *s, size_t len, uint64_t *ns);

/*
 * Seconds as for num_seconds(), or a number with a unit: h, m, s, ms, us or ns.
 * `unit` is how many ns a number without a unit means.
 */
int num_duration(const char *s, size_t len, uint64_t unit, uint64_t *ns);

/* A decimal fraction such as 3, 0.1 or .5, without an exponent. */
int num_real(const char *s, size_t len, double *val);

/* The number in `size` bytes, at most 8, at p, aligned or not. */
static inline uint64_t
uint_load(const void *p, size_t size, bool big)
{
	const unsigned char *at = p;
	uint64_t v = 0;

	for (size_t i = 0; i < size; i++)
		v = v << 8 | at[big ? i : size - 1 - i];
	return v;
}

#endif
