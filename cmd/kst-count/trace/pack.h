/* SPDX-License-Identifier: ISC */
/*
 * Records in few bytes, as the file of --trace has them: each by its
 * difference from the one before, the first from zeros.
 */
#ifndef PACK_H
#define PACK_H

#include <stddef.h>
#include <stdint.h>

#include "trace/record.h"

/* Bytes of a record at most. */
enum { PACK_MOST = 1 + 10 + 10 + 10 + 10 };

/* Private: of the first byte, beside the flags. */
enum { PACK_FLAGS = 15, PACK_MOVED = 16 };

static inline uint8_t *
pack_number(uint8_t *p, uint64_t n)
{
	for (; n > 127; n >>= 7)
		*p++ = (uint8_t)(n | 128);
	*p++ = (uint8_t)n;
	return p;
}

/* Writes a record that follows `last`. Returns the end. */
static inline uint8_t *
pack_put(uint8_t *p, const struct record *r, const struct record *last)
{
	const bool moved = r->stack != last->stack || r->cpu != last->cpu;
	const int64_t by = (int64_t)r->span - last->span;

	*p++ = (uint8_t)(r->flags | (moved ? PACK_MOVED : 0));
	p = pack_number(p, r->time - last->time);
	p = pack_number(p, by < 0 ? (uint64_t)-by * 2 - 1 : (uint64_t)by * 2);
	if (moved) {
		p = pack_number(p, r->stack);
		p = pack_number(p, r->cpu);
	}
	return p;
}

static inline const uint8_t *
pack_take(const uint8_t *p, const uint8_t *end, uint64_t *n)
{
	*n = 0;
	for (unsigned bits = 0; p && bits < 64; bits += 7) {
		if (p == end)
			return NULL;
		*n |= (uint64_t)(*p & 127) << bits;
		if (*p++ < 128)
			return p;
	}
	return NULL;
}

/*
 * Makes of *r, the record before, the next one. Returns its end, or NULL if it
 * is damaged or not whole.
 */
static inline const uint8_t *
pack_get(const uint8_t *p, const uint8_t *end, struct record *r)
{
	uint64_t time, span, stack = r->stack, cpu = r->cpu;
	uint8_t first;

	if (p == end)
		return NULL;
	first = *p++;
	p = pack_take(p, end, &time);
	p = pack_take(p, end, &span);
	if (first & PACK_MOVED) {
		p = pack_take(p, end, &stack);
		p = pack_take(p, end, &cpu);
	}
	*r = (struct record){.time = r->time + time,
	    .span = r->span + (uint32_t)(span & 1 ? ~(span >> 1) : span >> 1),
	    .stack = (uint16_t)stack,
	    .cpu = cpu & (TRACE_CPUS - 1),
	    .flags = first & PACK_FLAGS};
	return p;
}

#endif
