/* SPDX-License-Identifier: ISC */
/*
 * Open addressing, power-of-two size, at most half full; a slot holds the
 * upper half of the hash and the number, so that nearly every comparison of
 * bytes is one that succeeds.
 */
#include "base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/msg.h"
#include "base/xalloc.h"

struct slot {
	uint32_t tag, id1; /* id1: number + 1, 0 = free slot */
};

struct str {
	const char *p;
	uint32_t len;
};

struct block {
	struct block *next;
	size_t size;
	char bytes[];
};

struct intern {
	struct slot *slots;
	size_t mask;
	struct str *strs;
	uint32_t n;
	size_t cap;
	struct block *blocks;
	char *free_at;
	size_t free_len, bytes;
};

enum { FIRST_SLOTS = 1024, BLOCK = 1 << 16 };

struct intern *
intern_new(void)
{
	struct intern *t = xcalloc(1, sizeof *t);

	t->slots = xcalloc(FIRST_SLOTS, sizeof *t->slots);
	t->mask = FIRST_SLOTS - 1;
	return t;
}

static void
free_blocks(struct intern *t)
{
	while (t->blocks) {
		struct block *next = t->blocks->next;

		free(t->blocks);
		t->blocks = next;
	}
	t->free_len = 0;
	t->bytes = 0;
}

void
intern_free(struct intern *t)
{
	if (t == NULL)
		return;
	free_blocks(t);
	free(t->slots);
	free(t->strs);
	free(t);
}

void
intern_clear(struct intern *t)
{
	free_blocks(t);
	memset(t->slots, 0, (t->mask + 1) * sizeof *t->slots);
	t->n = 0;
}

static const char *
store(struct intern *t, const char *p, size_t len)
{
	char *at;

	if (len == 0)
		return "";
	if (t->free_len < len) {
		size_t size = len > BLOCK / 4 ? len : BLOCK;
		struct block *b = xmalloc(sizeof *b + size);

		b->size = size;
		b->next = t->blocks;
		t->blocks = b;
		t->bytes += size;
		if (size != BLOCK) { /* a block of its own */
			memcpy(b->bytes, p, len);
			return b->bytes;
		}
		t->free_at = b->bytes;
		t->free_len = size;
	}
	at = t->free_at;
	memcpy(at, p, len);
	t->free_at += len;
	t->free_len -= len;
	return at;
}

static size_t
slot_of(const struct intern *t, uint64_t h, const char *p, size_t len)
{
	uint32_t tag = (uint32_t)(h >> 32);
	size_t i = (size_t)h & t->mask;

	for (; t->slots[i].id1; i = (i + 1) & t->mask) {
		const struct str *s;

		if (t->slots[i].tag != tag)
			continue;
		s = &t->strs[t->slots[i].id1 - 1];
		if (s->len == len && memcmp(s->p, p, len) == 0)
			break;
	}
	return i;
}

static void
grow_slots(struct intern *t)
{
	size_t size = (t->mask + 1) * 2;
	struct slot *slots = xcalloc(size, sizeof *slots);

	for (uint32_t id = 0; id < t->n; id++) {
		uint64_t h = hash_bytes(t->strs[id].p, t->strs[id].len);
		size_t i = (size_t)h & (size - 1);

		while (slots[i].id1)
			i = (i + 1) & (size - 1);
		slots[i].tag = (uint32_t)(h >> 32);
		slots[i].id1 = id + 1;
	}
	free(t->slots);
	t->slots = slots;
	t->mask = size - 1;
}

uint32_t
intern_find(const struct intern *t, const char *p, size_t len)
{
	size_t i = slot_of(t, hash_bytes(p, len), p, len);

	return t->slots[i].id1 - 1; /* free slot: 0 - 1 = UINT32_MAX */
}

uint32_t
intern_id(struct intern *t, const char *p, size_t len)
{
	uint64_t h = hash_bytes(p, len);
	size_t i = slot_of(t, h, p, len);

	if (t->slots[i].id1)
		return t->slots[i].id1 - 1;
	if (t->n >= UINT32_MAX - 1 || len > UINT32_MAX)
		msg_die(EXIT_FAILED, "too many different strings");
	t->strs = xgrow(t->strs, t->n + 1, &t->cap, sizeof *t->strs);
	t->strs[t->n].p = store(t, p, len);
	t->strs[t->n].len = (uint32_t)len;
	t->slots[i].tag = (uint32_t)(h >> 32);
	t->slots[i].id1 = ++t->n;
	if (t->n > t->mask / 2)
		grow_slots(t);
	return t->n - 1;
}

const char *
intern_str(const struct intern *t, uint32_t id, size_t *len)
{
	*len = t->strs[id].len;
	return t->strs[id].p;
}

uint32_t
intern_count(const struct intern *t)
{
	return t->n;
}

size_t
intern_bytes(const struct intern *t)
{
	return t->bytes + (t->mask + 1) * sizeof *t->slots +
	       t->cap * sizeof *t->strs;
}
