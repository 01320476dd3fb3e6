/* SPDX-License-Identifier: ISC */
/*
 * A hash table that finds an item's number, as set/slots.h does, for millions:
 * a slot has four bytes, eight bits of the hash above a number + 1. The table
 * is at most three quarters full, and grows by half.
 */
#ifndef THIN_H
#define THIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers are less than THIN_MAX - 1. */
enum { THIN_BITS = 24, THIN_MAX = 1 << THIN_BITS };

#define THIN_NONE UINT32_MAX

struct thin {
	uint32_t *slot;
	size_t size; /* slots */
	uint32_t n;
};

static inline uint32_t
thin_tag(uint64_t hash)
{
	return (uint32_t)(hash >> 32) << THIN_BITS;
}

static inline size_t
thin_first(const struct thin *t, uint64_t hash)
{
	return (hash >> 32) * t->size >> 32;
}

static inline size_t
thin_next(const struct thin *t, size_t i)
{
	return i + 1 < t->size ? i + 1 : 0;
}

/* Adds number t->n. `hash_of` gives the hash of each number up to it. */
void thin_add(struct thin *t, uint64_t (*hash_of)(uint32_t id));

/* The number of the item with that hash for which same(number, key) holds. */
__attribute__((always_inline)) static inline uint32_t
thin_find(const struct thin *t, uint64_t hash,
    bool (*same)(uint32_t id, const void *key), const void *key)
{
	const uint32_t tag = thin_tag(hash), low = THIN_MAX - 1;

	if (t->size == 0)
		return THIN_NONE;
	for (size_t i = thin_first(t, hash); t->slot[i]; i = thin_next(t, i)) {
		const uint32_t id = (t->slot[i] & low) - 1;

		if ((t->slot[i] & ~low) == tag && same(id, key))
			return id;
	}
	return THIN_NONE;
}

#endif
