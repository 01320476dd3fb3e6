/* SPDX-License-Identifier: ISC */
#include "trace/pairs.h"

#include "base/xalloc.h"
#include "set/slots.h"
#include "trace/thin.h"

/* What was sought lately, so that most is found in the processor's cache. */
enum { LATELY_BITS = 15, LATELY = 1 << LATELY_BITS };

struct pair {
	uint32_t stack : PAIRS_BITS, high : 1; /* whether its count has one */
	uint32_t code, count;
};

/* The high half of a count. */
struct high {
	uint32_t pair, count;
};

static struct {
	struct pair *v;
	size_t n, cap;
	struct thin index;
	struct {
		uint32_t stack, code, pair; /* stack 0: nothing */
	} lately[LATELY];
	struct high *high;
	size_t n_high, cap_high;
	struct slots highs;
} all;

static uint64_t
hash_of(uint32_t stack, uint32_t code)
{
	return ((uint64_t)stack << 32 | code) * UINT64_C(0x9e3779b97f4a7c15);
}

static uint64_t
hash_of_pair(uint32_t pair)
{
	return hash_of(all.v[pair].stack, all.v[pair].code);
}

static bool
same_pair(uint32_t id, const void *key)
{
	const struct pair *a = key, *b = &all.v[id];

	return a->stack == b->stack && a->code == b->code;
}

static uint32_t
find(const struct pair *key, uint64_t hash, size_t max)
{
	const uint32_t id = thin_find(&all.index, hash, same_pair, key);

	if (id != THIN_NONE || all.n >= max)
		return id;
	*xpush(all.v, all.n, all.cap) = *key;
	thin_add(&all.index, hash_of_pair);
	return (uint32_t)all.n - 1;
}

uint32_t
pairs_find(uint32_t stack, uint32_t code, size_t max)
{
	const uint64_t hash = hash_of(stack, code);
	const size_t i = hash >> (64 - LATELY_BITS);
	uint32_t id;

	if (all.lately[i].stack == stack && all.lately[i].code == code &&
	    stack != 0)
		return all.lately[i].pair;
	id = find(&(struct pair){.stack = stack & PAIRS_MAX, .code = code},
	    hash, max);
	if (id == PAIRS_NONE)
		return id;
	all.lately[i].stack = stack;
	all.lately[i].code = code;
	return all.lately[i].pair = id;
}

size_t
pairs_size(void)
{
	return all.n;
}

uint32_t
pairs_stack(uint32_t pair)
{
	return all.v[pair].stack;
}

uint32_t
pairs_code(uint32_t pair)
{
	return all.v[pair].code;
}

static bool
same(const void *of, uint32_t id, const void *key)
{
	return ((const struct high *)of)[id].pair == *(const uint32_t *)key;
}

/* The high half of a pair's count, which is made if there is none. */
static uint32_t *
high_of(uint32_t pair)
{
	const uint64_t hash = hash_of(0, pair);
	uint32_t id;

	if (all.n_high == 0)
		slots_init(&all.highs);
	id = slots_find(&all.highs, hash, same, all.high, &pair);
	if (id != SLOTS_NONE)
		return &all.high[id].count;
	slots_add(&all.highs, hash);
	all.v[pair].high = 1;
	*xpush(all.high, all.n_high, all.cap_high) =
	    (struct high){.pair = pair};
	return &all.high[all.n_high - 1].count;
}

void
pairs_add(uint32_t pair, uint64_t n)
{
	n += all.v[pair].count;
	all.v[pair].count = (uint32_t)n;
	if (n >> 32)
		*high_of(pair) += (uint32_t)(n >> 32);
}

uint64_t
pairs_take(uint32_t pair)
{
	uint32_t *high = all.v[pair].high ? high_of(pair) : NULL;
	const uint64_t n =
	    all.v[pair].count | (high ? (uint64_t)*high << 32 : 0);

	if (n >> 63)
		return 0;
	all.v[pair].count = 0;
	if (high)
		*high = 0;
	return n;
}
