/* SPDX-License-Identifier: ISC */
#include "trace/thin.h"

#include <stdlib.h>

#include "base/xalloc.h"

enum { FIRST_SLOTS = 1 << 12 };

static void
put(struct thin *t, uint32_t id, uint64_t hash)
{
	size_t i = thin_first(t, hash);

	while (t->slot[i])
		i = thin_next(t, i);
	t->slot[i] = thin_tag(hash) | (id + 1);
}

void
thin_add(struct thin *t, uint64_t (*hash_of)(uint32_t id))
{
	if (t->n >= t->size / 4 * 3) {
		free(t->slot);
		t->size = t->size ? t->size / 2 * 3 : FIRST_SLOTS;
		t->slot = xcalloc(t->size, sizeof *t->slot);
		for (uint32_t i = 0; i < t->n; i++)
			put(t, i, hash_of(i));
	}
	put(t, t->n, hash_of(t->n));
	t->n++;
}
