/* SPDX-License-Identifier: ISC */
/*
 * Entries stand in blocks that are freed together, text and result side by
 * side, so that a hit touches little memory.
 */
#include "text/memo.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/slots.h"
#include "base/xalloc.h"

enum { ENTRIES_MAX = 1 << 15, BYTES_MAX = 4 << 20, BLOCK = 1 << 16 };

struct block {
	struct block *next;
	char bytes[] __attribute__((aligned(8)));
};

struct memo {
	struct slots slots;
	struct memo_entry **entries; /* by number */
	size_t cap;
	struct block *blocks;
	char *free_at;
	size_t free_len, bytes;
};

struct memo *
memo_new(void)
{
	struct memo *m = xcalloc(1, sizeof *m);

	slots_init(&m->slots);
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
	m->free_len = m->bytes = 0;
}

void
memo_free(struct memo *m)
{
	if (m == NULL)
		return;
	forget(m);
	slots_done(&m->slots);
	free(m->entries);
	free(m);
}

bool
memo_trim(struct memo *m)
{
	if (m->bytes < BYTES_MAX && m->slots.n < ENTRIES_MAX)
		return false;
	forget(m);
	slots_clear(&m->slots);
	return true;
}

size_t
memo_bytes(const struct memo *m)
{
	return m->bytes;
}

struct text {
	const char *p;
	size_t len;
};

static bool
same(const void *of, uint32_t id, const void *key)
{
	const struct memo_entry *e = ((const struct memo *)of)->entries[id];
	const struct text *k = key;

	return e->raw_len == k->len && memcmp(e->bytes, k->p, k->len) == 0;
}

struct memo_entry *
memo_find(struct memo *m, const char *text, size_t len, uint64_t *hash)
{
	const struct text key = {text, len};
	uint32_t id;

	*hash = hash_bytes(text, len);
	id = slots_find(&m->slots, *hash, same, m, &key);
	return id == SLOTS_NONE ? NULL : m->entries[id];
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

		memset(b->bytes, 0, room); /* as in intern.c */
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

	m->entries = xgrow(
	    m->entries, (size_t)m->slots.n + 1, &m->cap, sizeof *m->entries);
	m->entries[m->slots.n] = e;
	slots_add(&m->slots, hash);
	e->next = NULL;
	e->raw_len = (uint32_t)text_len;
	e->len = (uint32_t)len;
	e->value = value;
	memcpy(e->bytes, text, text_len);
	if (len)
		memcpy(e->bytes + text_len, result, len);
	return e;
}
