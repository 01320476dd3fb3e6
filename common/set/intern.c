/* SPDX-License-Identifier: ISC */
#include "set/intern.h"

#include <stdlib.h>
#include <string.h>

#include "set/hash.h"
#include "base/msg.h"
#include "set/slots.h"
#include "base/xalloc.h"

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
	struct slots slots;
	struct str *strs;
	size_t cap;
	struct block *blocks;
	char *free_at;
	size_t free_len, bytes;
};

enum { BLOCK = 1 << 16 };

struct intern *
intern_new(void)
{
	struct intern *t = xcalloc(1, sizeof *t);

	slots_init(&t->slots);
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
	slots_done(&t->slots);
	free(t->strs);
	free(t);
}

void
intern_seal(struct intern *t)
{
	free(t->slots.v);
	t->slots.v = NULL;
}

void
intern_clear(struct intern *t)
{
	free_blocks(t);
	slots_clear(&t->slots);
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

		/*
		 * glibc's masked memcmp() is slow each time on text that ends
		 * at a page never touched: so touch them all.
		 */
		if (size == BLOCK)
			memset(b->bytes, 0, size);
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

static bool
same(const void *of, uint32_t id, const void *key)
{
	const struct intern *t = of;
	const struct str *s = &t->strs[id], *k = key;

	return s->len == k->len && memcmp(s->p, k->p, k->len) == 0;
}

static inline uint32_t
find(const struct intern *t, uint64_t hash, const char *p, size_t len)
{
	struct str key = {len ? p : "", (uint32_t)len};

	return slots_find(&t->slots, hash, same, t, &key);
}

uint32_t
intern_find(const struct intern *t, const char *p, size_t len)
{
	return find(t, hash_bytes(p, len), p, len);
}

uint32_t
intern_id(struct intern *t, const char *p, size_t len)
{
	uint64_t hash = hash_bytes(p, len);
	uint32_t id = find(t, hash, p, len);

	if (id != SLOTS_NONE)
		return id;
	if (len > UINT32_MAX)
		msg_die(EXIT_FAILED, "a text is longer than 4 GiB");
	id = t->slots.n;
	slots_add(&t->slots, hash);
	*xitem(t->strs, id, t->cap) =
	    (struct str){store(t, p, len), (uint32_t)len};
	return id;
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
	return t->slots.n;
}

size_t
intern_bytes(const struct intern *t)
{
	return t->bytes + (t->slots.mask + 1) * sizeof *t->slots.v +
	       t->cap * sizeof *t->strs;
}
