/* SPDX-License-Identifier: ISC */
/*
 * Open addressing with power-of-two size, at most half full. Only the current
 * capture's tracks are kept when the table grows.
 */
#include "trace/stacks.h"

#include <stdlib.h>
#include <string.h>

#include "set/hash.h"
#include "base/xalloc.h"

enum { FIRST_SLOTS = 256 };

struct slot {
	uint64_t hash;
	uint64_t capture; /* 0: free; captures count from 1 */
};

struct tracks {
	struct slot *slots;
	size_t mask, n;
};

struct tracks *
tracks_new(void)
{
	struct tracks *t = xcalloc(1, sizeof *t);

	t->slots = xcalloc(FIRST_SLOTS, sizeof *t->slots);
	t->mask = FIRST_SLOTS - 1;
	return t;
}

void
tracks_free(struct tracks *t)
{
	if (t == NULL)
		return;
	free(t->slots);
	free(t);
}

static struct slot *
find(struct tracks *t, uint64_t hash)
{
	size_t i = (size_t)hash & t->mask;

	while (t->slots[i].capture && t->slots[i].hash != hash)
		i = (i + 1) & t->mask;
	return &t->slots[i];
}

/* Makes room; returns false when the capture has as many as there may be. */
static bool
grow(struct tracks *t, uint64_t capture)
{
	struct slot *old = t->slots;
	size_t size = t->mask + 1, live = 0;

	for (size_t i = 0; i < size; i++)
		live += old[i].capture == capture;
	if (live >= TRACKS_MAX) {
		memset(old, 0, size * sizeof *old);
		t->n = 0;
		return false;
	}
	if (live > size / 4)
		t->mask = size * 2 - 1;
	t->slots = xcalloc(t->mask + 1, sizeof *t->slots);
	t->n = live;
	for (size_t i = 0; i < size; i++)
		if (old[i].capture == capture)
			*find(t, old[i].hash) = old[i];
	free(old);
	return true;
}

bool
tracks_mark(struct tracks *t, const char *name, size_t len, uint64_t capture,
    bool *full)
{
	uint64_t hash = hash_bytes(name, len);
	struct slot *s = find(t, hash);

	if (s->capture == capture)
		return true;
	if (s->capture == 0) {
		if (t->n >= (t->mask + 1) / 2) {
			*full = !grow(t, capture);
			s = find(t, hash);
		}
		s->hash = hash;
		t->n++;
	}
	s->capture = capture;
	return false;
}
