/* SPDX-License-Identifier: ISC */
/* Arguments and results as text. */
#include "folder/spec.h"

#include <math.h>
#include <inttypes.h>

#include "base/buf.h"
#include "base/num.h"
#include "folder/dat.h"

/* A larger number of unknown type is written in hexadecimal. */
enum { SMALL = 100000 };

/* x86's long double: 64 bits of mantissa, sign and exponent above. */
static double
x87_value(uint64_t mantissa, uint16_t above)
{
	int exp = above & 0x7fff;
	double v = ldexp((double)mantissa, exp - 16383 - 63);

	if (exp == 0x7fff)
		v = mantissa << 1 ? (double)NAN : (double)INFINITY;
	return above >> 15 ? -v : v;
}

static void
add_float(const struct dat *d, const char *p, size_t size, struct buf *b)
{
	union {
		uint32_t u32;
		uint64_t u64;
		float f32;
		double f64;
	} v;

	if (size == 4) {
		v.u32 = (uint32_t)uint_load(p, 4, d->big);
		buf_printf(b, "%.9g", (double)v.f32);
	} else if (size == 8) {
		v.u64 = uint_load(p, 8, d->big);
		buf_printf(b, "%.17g", v.f64);
	} else if (size == 10 && !d->big) {
		buf_printf(b, "%.17g",
		    x87_value(uint_load(p, 8, d->big),
			(uint16_t)uint_load(p + 8, 2, d->big)));
	} else {
		buf_printf(b, "?");
	}
}

void
value_put(
    struct buf *b, const struct dat *d, char fmt, unsigned size, const char *p)
{
	uint64_t u;
	int64_t i;
	unsigned shift;

	if (fmt == 'f') {
		add_float(d, p, size, b);
		return;
	}
	if (fmt == 't' || size > 8) {
		buf_printf(b, "{%u bytes}", size);
		return;
	}
	u = uint_load(p, size, d->big);
	shift = 64 - 8 * size;
	/* An int in a 64-bit register, whose upper half is undefined. */
	if (fmt == 'd' && u <= UINT32_MAX && u >= UINT32_MAX - SMALL)
		shift = 32;
	i = (int64_t)(u << shift) >> shift;
	if (fmt == 'u')
		buf_printf(b, "%" PRIu64, u);
	else if (fmt == 'o')
		buf_printf(b, "%#" PRIo64, u);
	else if (fmt == 'c' && u >= ' ' && u < 0x7f)
		buf_printf(b, "'%c'", (int)u);
	else if (fmt == 'x' || fmt == 'p' ||
		 (fmt != 'i' && (i > SMALL || i < -SMALL)))
		buf_printf(b, "%#" PRIx64, u);
	else
		buf_printf(b, "%" PRId64, i);
}
