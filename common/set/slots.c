/* SPDX-License-Identifier: ISC */
#include "set/slots.h"

#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
#include "base/xalloc.h"

enum { FIRST_SLOTS = 1024 };

void
slots_init(struct slots *s)
{
	s->v = xcalloc(FIRST_SLOTS, sizeof *s->v);
	s->mask = FIRST_SLOTS - 1;
	s->n = 0;
}

void
slots_done(struct slots *s)
{
	free(s->v);
	memset(s, 0, sizeof *s);
}

void
slots_clear(struct slots *s)
{
	memset(s->v, 0, (s->mask + 1) * sizeof *s->v);
	s->n = 0;
}

static void
put(struct slots *s, struct hash_slot slot)
{
	size_t i = slot.tag & s->mask;

	while (s->v[i].id1)
		i = (i + 1) & s->mask;
	s->v[i] = slot;
}

static void
grow(struct slots *s)
{
	struct hash_slot *old = s->v;
	size_t n = s->mask + 1;

	s->v = xcalloc(n * 2, sizeof *s->v);
	s->mask = n * 2 - 1;
	for (size_t i = 0; i < n; i++)
		if (old[i].id1)
			put(s, old[i]);
	free(old);
}

void
slots_add(struct slots *s, uint64_t hash)
{
	if (s->n >= SLOTS_MAX)
		msg_die(EXIT_FAILED, "more than %d different texts", SLOTS_MAX);
	if (s->n > s->mask / 2)
		grow(s);
	put(s, (struct hash_slot){(uint32_t)(hash >> 32), ++s->n});
}
