/* SPDX-License-Identifier: ISC */
/*
 * Open addressing with power-of-two size, at most half full. Entries stand in
 * blocks that are thrown away together, text and result side by side, so that
 * a hit touches little memory.
 */
#include "text/memo.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/xalloc.h"

enum {
	FIRST_SLOTS = 1 << 12,
	ENTRIES_MAX = 1 << 15,
	BYTES_MAX = 4 << 20,
	BLOCK = 1 << 16
};

struct block {
	struct block *next;
	char bytes[] __attribute__((aligned(8)));
};

struct slot {
	uint64_t hash;
	struct memo_entry *entry; /* NULL: free */
};

struct memo {
	struct slot *slots;
	size_t mask, n;
	struct block *blocks;
	char *free_at;
	size_t free_len, bytes;
};

struct memo *
memo_new(void)
{
	struct memo *m = xcalloc(1, sizeof *m);

	m->slots = xcalloc(FIRST_SLOTS, sizeof *m->slots);
	m->mask = FIRST_SLOTS - 1;
	return m;
}

static void
forget(struct memo *m)
{
	while (m->blocks) {
		struct block *next = m->blocks->next;

		free(m->blocks);
		m->blocks = next;
	}
	m->free_len = m->bytes = m->n = 0;
}

void
memo_free(struct memo *m)
{
	if (m == NULL)
		return;
	forget(m);
	free(m->slots);
	free(m);
}

bool
memo_trim(struct memo *m)
{
	if (m->bytes < BYTES_MAX && m->n < ENTRIES_MAX)
		return false;
	forget(m);
	memset(m->slots, 0, (m->mask + 1) * sizeof *m->slots);
	return true;
}

size_t
memo_bytes(const struct memo *m)
{
	return m->bytes;
}

struct memo_entry *
memo_find(struct memo *m, const char *text, size_t len, uint64_t *hash)
{
	uint64_t h = *hash = hash_bytes(text, len);

	for (size_t i = (size_t)h & m->mask;; i = (i + 1) & m->mask) {
		const struct slot *s = &m->slots[i];

		if (s->entry == NULL ||
		    (s->hash == h && s->entry->raw_len == len &&
			memcmp(s->entry->bytes, text, len) == 0))
			return s->entry;
	}
}

/* A free slot for a hash. */
static struct slot *
free_slot(struct slot *slots, size_t mask, uint64_t hash)
{
	size_t i = (size_t)hash & mask;

	while (slots[i].entry)
		i = (i + 1) & mask;
	return &slots[i];
}

static void
grow(struct memo *m)
{
	size_t size = (m->mask + 1) * 2;
	struct slot *slots = xcalloc(size, sizeof *slots);

	for (size_t i = 0; i <= m->mask; i++)
		if (m->slots[i].entry)
			*free_slot(slots, size - 1, m->slots[i].hash) =
			    m->slots[i];
	free(m->slots);
	m->slots = slots;
	m->mask = size - 1;
}

/* Memory for an entry with that many bytes. */
static struct memo_entry *
new_entry(struct memo *m, size_t bytes)
{
	size_t size = (sizeof(struct memo_entry) + bytes + 7) & ~(size_t)7;
	char *at;

	if (m->free_len < size) {
		size_t room = size > BLOCK ? size : BLOCK;
		struct block *b = xmalloc(sizeof *b + room);

		b->next = m->blocks;
		m->blocks = b;
		m->free_at = b->bytes;
		m->free_len = room;
	}
	at = m->free_at;
	m->free_at += size;
	m->free_len -= size;
	m->bytes += size;
	return (struct memo_entry *)(void *)at;
}

struct memo_entry *
memo_add(struct memo *m, uint64_t hash, const char *text, size_t text_len,
    const char *result, size_t len, uint32_t value)
{
	struct memo_entry *e = new_entry(m, text_len + len);

	if (m->n >= m->mask / 2)
		grow(m);
	m->n++;
	*free_slot(m->slots, m->mask, hash) = (struct slot){hash, e};
	e->next = NULL;
	e->raw_len = (uint32_t)text_len;
	e->len = (uint32_t)len;
	e->value = value;
	memcpy(e->bytes, text, text_len);
	if (len)
		memcpy(e->bytes + text_len, result, len);
	return e;
}
