/* SPDX-License-Identifier: ISC */
/* The blocks of code, each once, however often QEMU translates it. */
#include "plugin/block.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"
#include "set/slots.h"

static struct {
	struct block **v;
	size_t n, cap;
	struct slots slots;
} all;

static bool
same(const void *of, uint32_t id, const void *key)
{
	const struct block *a = ((struct block *const *)of)[id], *b = key;

	return a->pc == b->pc && a->n == b->n && a->last.kind == b->last.kind &&
	       a->last.target == b->last.target &&
	       a->last.bits == b->last.bits &&
	       memcmp(a->after, b->after, a->n * sizeof *a->after) == 0;
}

struct block *
block_new(uint64_t pc, size_t n)
{
	struct block *b = xcalloc(1, sizeof *b + n * sizeof *b->after);

	b->pc = pc;
	return b;
}

struct block *
block_keep(struct block *b)
{
	const uint64_t hash = (b->pc ^ (uint64_t)b->n << 48 ^ b->last.target) *
			      UINT64_C(0x9e3779b97f4a7c15);
	uint32_t id;

	if (all.n == 0)
		slots_init(&all.slots);
	id = slots_find(&all.slots, hash, same, all.v, b);
	if (id != SLOTS_NONE) {
		free(b);
		return all.v[id];
	}
	b->number = (uint32_t)all.n;
	slots_add(&all.slots, hash);
	return *xpush(all.v, all.n, all.cap) = b;
}

const struct block *
block_of(uint64_t part, uint32_t *n)
{
	*n = part & UINT16_MAX;
	return all.v[part >> 16];
}
