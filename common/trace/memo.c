/* SPDX-License-Identifier: ISC */
/*
 * Slots are in sets, each of a cache line or two. A text's hash names its set;
 * where that is full, a text goes that was not used lately.
 */
#include "trace/memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

enum {
	SETS = 1 << 12,
	WAYS = 8,
	SEEN = 1 << 15 /* texts that would be kept if they came again */
};

struct memo_slot {
	uint32_t tag; /* half of the hash */
	bool used;    /* lately */
	struct memo_entry *entry;
};

struct memo {
	struct memo_slot *slots;    /* NULL: nothing was added */
	uint64_t filled[SETS / 64]; /* bits of the sets that have entries */
	size_t max, bytes, hand;
	uint16_t *seen;		   /* parts of hashes, found by other parts */
	struct memo_entry *passed; /* the last one that was not kept */
	size_t passed_cap;	   /* its bytes */
};

struct memo *
memo_new(size_t max)
{
	struct memo *m = xcalloc(1, sizeof *m);

	m->max = max;
	m->seen = xcalloc(SEEN, sizeof *m->seen);
	return m;
}

static struct memo_slot *
set_of(const struct memo *m, uint64_t hash)
{
	return &m->slots[hash % SETS * WAYS];
}

struct memo_entry *
memo_find(struct memo *m, uint64_t hash, const char *text, size_t len)
{
	struct memo_slot *s, *end;

	if (m->slots == NULL)
		return NULL;
	s = set_of(m, hash);
	for (end = s + WAYS; s < end; s++) {
		struct memo_entry *e = s->entry;

		if (s->tag != (uint32_t)(hash >> 32) || e == NULL ||
		    e->raw_len > len || memcmp(e->bytes, text, e->raw_len) != 0)
			continue;
		if (e->raw_len == len || text[e->raw_len] == '\n') {
			s->used = true;
			return e;
		}
	}
	return NULL;
}

static size_t
size_of(const struct memo_entry *e)
{
	return sizeof *e + e->raw_len + e->len;
}

static void
empty(struct memo *m, struct memo_slot *s)
{
	if (s->entry == NULL)
		return;
	m->bytes -= size_of(s->entry);
	free(s->entry);
	s->entry = NULL;
}

void
memo_free(struct memo *m)
{
	if (m == NULL)
		return;
	for (size_t i = 0; i < SETS && m->bytes > 0; i++) {
		if (m->filled[i / 64] == 0)
			i += 63;
		else if (m->filled[i / 64] >> i % 64 & 1)
			for (size_t k = 0; k < WAYS; k++)
				empty(m, &m->slots[i * WAYS + k]);
	}
	free(m->passed);
	free(m->slots);
	free(m->seen);
	free(m);
}

/* A slot of the set that was not used since all of them were marked so. */
static struct memo_slot *
free_slot(struct memo *m, uint64_t hash)
{
	struct memo_slot *set = set_of(m, hash);

	m->filled[hash % SETS / 64] |= UINT64_C(1) << hash % 64;
	for (;;) {
		for (struct memo_slot *s = set; s < set + WAYS; s++)
			if (s->entry == NULL || !s->used) {
				empty(m, s);
				return s;
			}
		for (size_t i = 0; i < WAYS; i++)
			set[i].used = false;
	}
}

static struct memo_entry *
fill(struct memo_entry *e, const struct memo_text *t)
{
	e->raw_len = (uint32_t)t->len;
	e->len = (uint32_t)t->result_len;
	e->value = t->value;
	if (t->len)
		memcpy(e->bytes, t->p, t->len);
	if (t->result_len)
		memcpy(e->bytes + t->len, t->result, t->result_len);
	return e;
}

struct memo_entry *
memo_pass(struct memo *m, const struct memo_text *t)
{
	struct memo_text result = *t;

	result.len = 0;
	m->passed = xgrow(
	    m->passed, sizeof *m->passed + t->result_len, &m->passed_cap, 1);
	return fill(m->passed, &result);
}

struct memo_entry *
memo_add(struct memo *m, uint64_t hash, const struct memo_text *t)
{
	size_t size = sizeof(struct memo_entry) + t->len + t->result_len;
	struct memo_entry *e;

	if (size > m->max / 16)
		return memo_pass(m, t);
	e = fill(xmalloc(size), t);
	if (m->slots == NULL)
		m->slots = xcalloc(SETS * WAYS, sizeof *m->slots);
	for (m->bytes += size; m->bytes > m->max; m->hand++)
		empty(m, &m->slots[m->hand % (SETS * WAYS)]);
	*free_slot(m, hash) =
	    (struct memo_slot){(uint32_t)(hash >> 32), true, e};
	return e;
}

bool
memo_again(struct memo *m, uint64_t hash)
{
	const uint16_t mark = (uint16_t)(hash >> 16);
	uint16_t *seen = &m->seen[hash % SEEN];
	bool again = *seen == mark;

	*seen = mark;
	return again;
}

unsigned
memo_alike(const struct memo *m, uint64_t hash)
{
	unsigned n = 0;

	for (size_t i = 0; m->slots && i < WAYS; i++) {
		const struct memo_slot *s = set_of(m, hash) + i;

		n += s->entry && s->tag == (uint32_t)(hash >> 32);
	}
	return n;
}
