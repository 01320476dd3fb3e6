/* SPDX-License-Identifier: ISC */
/* The one place where option values become numbers. */
#include "base/opt.h"

#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
#include "base/out.h"

void
opt_help(const char *text)
{
	out_puts(text);
	exit(out_close() == 0 ? EXIT_OK : EXIT_FAILED);
}

void
opt_version(void)
{
	out_printf("%s %s\n", msg_prog, KST_VERSION);
	exit(out_close() == 0 ? EXIT_OK : EXIT_FAILED);
}

void
opt_usage(void)
{
	msg_die(EXIT_USAGE, "try '%s --help'", msg_prog);
}

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

uint64_t
opt_u64(const char *name, const char *s, uint64_t min, uint64_t max)
{
	uint64_t v;

	if (num_u64(s, strlen(s), &v) != 0 || v < min || v > max)
		msg_die(EXIT_USAGE,
		    "%s: '%s' is not a whole number from %llu to %llu", name,
		    msg_text(s, strlen(s)), (unsigned long long)min,
		    (unsigned long long)max);
	return v;
}

uint64_t
opt_addr(const char *name, const char *s)
{
	uint64_t v;
	int bad = s[0] == '0' && (s[1] == 'x' || s[1] == 'X')
		      ? num_hex(s + 2, strlen(s + 2), &v)
		      : num_u64(s, strlen(s), &v);

	if (bad)
		msg_die(EXIT_USAGE, "%s: '%s' is not a 64-bit number", name,
		    msg_text(s, strlen(s)));
	return v;
}

uint64_t
opt_seconds(const char *name, const char *s)
{
	const char *dot = strchr(s, '.');
	size_t whole = dot ? (size_t)(dot - s) : strlen(s);
	uint64_t sec = 0, ns = 0, unit = 1000000000;

	if (whole > 9 || (whole && num_u64(s, whole, &sec) != 0) ||
	    (whole == 0 && (!dot || !dot[1])))
		goto bad;
	for (const char *p = dot ? dot + 1 : ""; *p; p++) {
		if (*p < '0' || *p > '9')
			goto bad;
		unit /= 10;
		ns += (uint64_t)(*p - '0') * unit;
	}
	return sec * 1000000000 + ns;
bad:
	msg_die(EXIT_USAGE, "%s: '%s' is not a number of seconds", name,
	    msg_text(s, strlen(s)));
}
