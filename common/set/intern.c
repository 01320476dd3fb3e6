/* SPDX-License-Identifier: ISC */
#include "set/intern.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "set/hash.h"
#include "base/msg.h"
#include "set/slots.h"
#include "base/xalloc.h"

struct block {
	struct block *next;
	char bytes[];
};

struct intern {
	struct slots slots;
	const char **strs; /* a string's length, 4 bytes, is before it */
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

void
intern_free(struct intern *t)
{
	if (t == NULL)
		return;
	for (struct block *b = t->blocks, *next; b; b = next) {
		next = b->next;
		free(b);
	}
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

static uint32_t
length(const char *str)
{
	uint32_t len;

	memcpy(&len, str - sizeof len, sizeof len);
	return len;
}

static const char *
store(struct intern *t, const char *p, uint32_t len)
{
	size_t need = sizeof len + len;
	char *at;

	if (t->free_len < need) {
		size_t size = need > BLOCK ? need : BLOCK;
		struct block *b = xmalloc(sizeof *b + size);

		/*
		 * glibc's masked memcmp() is slow each time on text that ends
		 * at a page never touched: so touch them all.
		 */
		if (size == BLOCK)
			memset(b->bytes, 0, size);
		b->next = t->blocks;
		t->blocks = b;
		t->bytes += size;
		t->free_at = b->bytes;
		t->free_len = size;
	}
	at = t->free_at;
	t->free_at += need;
	t->free_len -= need;
	memcpy(at, &len, sizeof len);
	at += sizeof len;
	if (len)
		memcpy(at, p, len);
	return at;
}

static bool
same(const void *of, uint32_t id, const void *key)
{
	const char *s = ((const struct intern *)of)->strs[id];
	const struct piece *k = key;

	return bytes_same(s, length(s), k->p, k->len);
}

uint32_t
intern_find(const struct intern *t, const char *p, size_t len)
{
	const struct piece key = {p, len};

	return slots_find(&t->slots, hash_bytes(p, len), same, t, &key);
}

uint32_t
intern_id(struct intern *t, const char *p, size_t len)
{
	const struct piece key = {p, len};
	uint64_t hash = hash_bytes(p, len);
	uint32_t id = slots_find(&t->slots, hash, same, t, &key);

	if (id != SLOTS_NONE)
		return id;
	if (len > UINT32_MAX)
		msg_die(EXIT_FAILED, "a name is longer than 4 GiB");
	id = t->slots.n;
	slots_add(&t->slots, hash);
	*xitem(t->strs, id, t->cap) = store(t, p, (uint32_t)len);
	return id;
}

const char *
intern_str(const struct intern *t, uint32_t id, size_t *len)
{
	*len = length(t->strs[id]);
	return t->strs[id];
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
