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

enum {
	ENTRIES_MAX = 1 << 15,
	BYTES_MAX = 4 << 20,
	BLOCK = 1 << 16,
	SEEN = 1 << 15 /* texts that would be kept if they came again */
};

struct block {
	struct block *next;
	char bytes[] __attribute__((aligned(8)));
};

struct store {
	struct block *blocks;
	char *free_at;
	size_t free_len, bytes;
};

struct memo {
	struct slots slots;
	struct memo_entry **entries; /* by number */
	size_t cap;
	struct store kept, passing;
	uint16_t *seen; /* parts of hashes, found by other parts */
};

struct memo *
memo_new(void)
{
	struct memo *m = xcalloc(1, sizeof *m);

	slots_init(&m->slots);
	m->seen = xcalloc(SEEN, sizeof *m->seen);
	return m;
}

static void
forget(struct store *st)
{
	while (st->blocks) {
		struct block *next = st->blocks->next;

		free(st->blocks);
		st->blocks = next;
	}
	st->free_len = st->bytes = 0;
}

void
memo_free(struct memo *m)
{
	if (m == NULL)
		return;
	forget(&m->kept);
	forget(&m->passing);
	slots_done(&m->slots);
	free(m->entries);
	free(m->seen);
	free(m);
}

bool
memo_trim(struct memo *m)
{
	if (m->kept.bytes < BYTES_MAX && m->slots.n < ENTRIES_MAX)
		return false;
	forget(&m->kept);
	slots_clear(&m->slots);
	return true;
}

size_t
memo_bytes(const struct memo *m)
{
	return m->kept.bytes + m->passing.bytes;
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
new_entry(struct store *st, size_t bytes)
{
	size_t size = (sizeof(struct memo_entry) + bytes + 7) & ~(size_t)7;
	char *at;

	if (st->free_len < size) {
		size_t room = size > BLOCK ? size : BLOCK;
		struct block *b = xmalloc(sizeof *b + room);

		memset(b->bytes, 0, room); /* as in intern.c */
		b->next = st->blocks;
		st->blocks = b;
		st->free_at = b->bytes;
		st->free_len = room;
	}
	at = st->free_at;
	st->free_at += size;
	st->free_len -= size;
	st->bytes += size;
	return (struct memo_entry *)(void *)at;
}

static struct memo_entry *
fill(struct memo_entry *e, const char *text, size_t text_len,
    const char *result, size_t len, uint32_t value)
{
	e->next = NULL;
	e->raw_len = (uint32_t)text_len;
	e->len = (uint32_t)len;
	e->value = value;
	if (text_len)
		memcpy(e->bytes, text, text_len);
	if (len)
		memcpy(e->bytes + text_len, result, len);
	return e;
}

struct memo_entry *
memo_add(struct memo *m, uint64_t hash, const char *text, size_t text_len,
    const char *result, size_t len, uint32_t value)
{
	struct memo_entry *e = new_entry(&m->kept, text_len + len);

	m->entries = xgrow(
	    m->entries, (size_t)m->slots.n + 1, &m->cap, sizeof *m->entries);
	m->entries[m->slots.n] = e;
	slots_add(&m->slots, hash);
	return fill(e, text, text_len, result, len, value);
}

struct memo_entry *
memo_try(struct memo *m, uint64_t hash, const char *text, size_t text_len,
    const char *result, size_t len, uint32_t value, bool *kept)
{
	const uint16_t mark = (uint16_t)(hash >> 16);
	uint16_t *seen = &m->seen[hash % SEEN];

	*kept = *seen == mark;
	*seen = mark;
	if (*kept)
		return memo_add(m, hash, text, text_len, result, len, value);
	return fill(new_entry(&m->passing, len), NULL, 0, result, len, value);
}

void
memo_forget_passing(struct memo *m)
{
	struct store *st = &m->passing;
	struct block *b = st->blocks;

	if (st->bytes > BLOCK) {
		forget(st);
	} else if (b) { /* the only one */
		st->free_at = b->bytes;
		st->free_len += st->bytes;
		st->bytes = 0;
	}
}
