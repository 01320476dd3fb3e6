/* SPDX-License-Identifier: ISC */
#include "trace/stacks.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "set/hash.h"
#include "set/slots.h"

struct track_mark {
	uint64_t hash, capture; /* the last one that had the track */
};

struct tracks {
	struct slots slots;
	struct track_mark *v;
	size_t cap;
};

struct tracks *
tracks_new(void)
{
	struct tracks *t = xcalloc(1, sizeof *t);

	slots_init(&t->slots);
	return t;
}

void
tracks_free(struct tracks *t)
{
	if (t == NULL)
		return;
	slots_done(&t->slots);
	free(t->v);
	free(t);
}

static bool
same(const void *of, uint32_t id, const void *key)
{
	const struct tracks *t = of;

	return t->v[id].hash == *(const uint64_t *)key;
}

static void
add(struct tracks *t, struct track_mark m)
{
	*xitem(t->v, t->slots.n, t->cap) = m;
	slots_add(&t->slots, m.hash);
}

/* Forgets earlier captures' tracks, or all if this one has too many. */
static bool
make_room(struct tracks *t, uint64_t capture)
{
	uint32_t n = t->slots.n;

	slots_clear(&t->slots);
	for (uint32_t i = 0; i < n; i++)
		if (t->v[i].capture == capture)
			add(t, t->v[i]);
	if (t->slots.n < TRACKS_MAX)
		return true;
	slots_clear(&t->slots);
	return false;
}

bool
tracks_mark(struct tracks *t, const char *name, size_t len, uint64_t capture,
    bool *full)
{
	uint64_t hash = hash_bytes(name, len);
	uint32_t id = slots_find(&t->slots, hash, same, t, &hash);
	bool was = id != SLOTS_NONE && t->v[id].capture == capture;

	if (id != SLOTS_NONE) {
		t->v[id].capture = capture;
		return was;
	}
	if (t->slots.n >= TRACKS_MAX)
		*full = !make_room(t, capture);
	add(t, (struct track_mark){hash, capture});
	return false;
}
