/* SPDX-License-Identifier: ISC */
/*
 * The hash table of intern, tracks and the tables of stacks. It finds an item's
 * number, 0, 1, 2 … in order of adding; the caller keeps the items. Open
 * addressing, a power of two in size, at most half full. A slot holds half of
 * the hash, so nearly every comparison of items succeeds and growing compares
 * none.
 */
#ifndef KST_SLOTS_H
#define KST_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_slot {
	uint32_t tag, id1; /* id1: number + 1, 0 = free slot */
};

struct slots {
	struct hash_slot *v;
	size_t mask;
	uint32_t n;
};

enum { SLOTS_MAX = 1u << 30 }; /* items */

#define SLOTS_NONE UINT32_MAX

void slots_init(struct slots *s);
void slots_done(struct slots *s);

/* Forgets all items; keeps the memory. */
void slots_clear(struct slots *s);

/* Adds item number s->n after slots_find() did not find it. */
void slots_add(struct slots *s, uint64_t hash);

/*
 * The number of the item with that hash for which same(of, number, key) holds,
 * or SLOTS_NONE. The function is inline, so that `same` is inlined, too.
 */
__attribute__((always_inline)) static inline uint32_t
slots_find(const struct slots *s, uint64_t hash,
    bool (*same)(const void *of, uint32_t id, const void *key), const void *of,
    const void *key)
{
	uint32_t tag = (uint32_t)(hash >> 32);

	for (size_t i = tag & s->mask;; i = (i + 1) & s->mask) {
		struct hash_slot slot = s->v[i];

		if (slot.id1 == 0 ||
		    (slot.tag == tag && same(of, slot.id1 - 1, key)))
			return slot.id1 - 1; /* free: 0 - 1 = SLOTS_NONE */
	}
}

#endif
