/* SPDX-License-Identifier: ISC */
/*
 * Stacks are arrays of numbers of names while they are collected, and of their
 * ranks while they are sorted: a tenth of their text.
 */
#include "sort.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/intern.h"
#include "base/msg.h"
#include "base/ranks.h"
#include "base/textsort.h"
#include "base/xalloc.h"

struct pair {
	weight w[2];
	uint64_t first;
};

struct block {
	struct block *next;
	size_t len, cap;
	uint32_t ids[];
};

struct sort {
	struct intern *names;
	struct ranks ranks;
	struct text *items; /* of bytes; the id is that of the weights */
	struct pair *weights;
	size_t n, cap, merge_at, next;
	uint64_t added;
	struct sorted out;
	struct buf text; /* of the stack that is given back */
	struct block *blocks;
	uint32_t *ids; /* of the stack that is added */
	size_t cap_ids;
	uint32_t *after; /* what came after each frame, and first */
	size_t n_after, cap_after;
};

/*
 * Blocks are large and aligned so that the kernel can back them with huge
 * pages: faults of small pages would take as long as the sorting.
 */
enum {
	BLOCK = 8 << 20,
	BLOCK_ALIGN = 2 << 20,
	MERGE_FIRST = 1 << 20,
	AHEAD = 4
};

struct sort *
sort_new(void)
{
	struct sort *s = xcalloc(1, sizeof *s);

	s->names = intern_new();
	s->merge_at = MERGE_FIRST;
	s->after = xgrow(NULL, 1, &s->cap_after, sizeof *s->after);
	s->after[s->n_after++] = UINT32_MAX;
	return s;
}

static void
free_blocks(struct block *b)
{
	while (b) {
		struct block *next = b->next;

		free(b);
		b = next;
	}
}

void
sort_free(struct sort *s)
{
	if (s == NULL)
		return;
	intern_free(s->names);
	ranks_done(&s->ranks);
	free_blocks(s->blocks);
	free(s->items);
	free(s->weights);
	buf_done(&s->text);
	free(s->ids);
	free(s->after);
	free(s);
}

/* Room for n numbers. */
static uint32_t *
room(struct sort *s, size_t n)
{
	struct block *b = s->blocks;

	if (b == NULL || b->cap - b->len < n) {
		size_t size = BLOCK;

		if (n * sizeof *b->ids > BLOCK - sizeof *b)
			size = (n * sizeof *b->ids / BLOCK_ALIGN + 2) *
			       BLOCK_ALIGN;
		b = aligned_alloc(BLOCK_ALIGN, size);
		if (b == NULL)
			msg_die(EXIT_SYSTEM, "out of memory");
		madvise(b, size, MADV_HUGEPAGE);
		b->next = s->blocks;
		b->len = 0;
		b->cap = (size - sizeof *b) / sizeof *b->ids;
		s->blocks = b;
	}
	b->len += n;
	return b->ids + b->len - n;
}

/*
 * The number of the frame at p, whose end is *stop. Mostly it is the one that
 * came after the same frame the last time. before: the last number + 1, or 0.
 */
static uint32_t
number_of(struct sort *s, uint32_t before, const char *p, const char *end,
    const char **stop)
{
	uint32_t id = s->after[before];
	size_t len, left = (size_t)(end - p);

	if (id != UINT32_MAX) {
		const char *guess = intern_str(s->names, id, &len);

		*stop = p + len;
		if (len <= left && memcmp(guess, p, len) == 0 &&
		    (len == left || p[len] == ';'))
			return id;
	}
	*stop = memchr(p, ';', left);
	if (*stop == NULL)
		*stop = end;
	id = intern_id(s->names, p, (size_t)(*stop - p));
	s->after[before] = id;
	s->after =
	    xgrow(s->after, (size_t)id + 2, &s->cap_after, sizeof *s->after);
	if (s->n_after < id + 2)
		s->after[s->n_after++] = UINT32_MAX;
	return id;
}

/* The numbers of a stack's frames; the caller copies them. */
static const uint32_t *
numbers_of(struct sort *s, const char *stack, size_t len, size_t *n)
{
	const char *end = stack + len;

	*n = 0;
	for (uint32_t before = 0; len && stack <= end; stack++) {
		s->ids = xgrow(s->ids, *n + 1, &s->cap_ids, sizeof *s->ids);
		s->ids[*n] = number_of(s, before, stack, end, &stack);
		before = s->ids[(*n)++] + 1;
	}
	return s->ids;
}

/* Sorts, merges what is equal, and copies the texts that are left. */
static void
merge(struct sort *s)
{
	struct pair *weights = xreallocn(NULL, s->cap, sizeof *weights);
	struct block *old = s->blocks;
	size_t n = 0;

	textsort(s->items, s->n);
	s->blocks = NULL;
	for (size_t i = 0; i < s->n; i++) {
		const struct text *x = &s->items[i];
		const struct text *last = &s->items[n ? n - 1 : 0];
		const struct pair *w = &s->weights[x->id];

		if (n && bytes_same(x->p, x->len, last->p, last->len)) {
			weights[n - 1].w[0] += w->w[0];
			weights[n - 1].w[1] += w->w[1];
			if (w->first < weights[n - 1].first)
				weights[n - 1].first = w->first;
			continue;
		}
		weights[n] = *w;
		s->items[n] = *x;
		s->items[n].id = (uint32_t)n;
		n++;
	}
	for (size_t i = 0; i < n; i++) {
		struct text *x = &s->items[i];

		x->p = memcpy(room(s, x->len / sizeof *old->ids), x->p, x->len);
	}
	free_blocks(old);
	free(s->weights);
	s->weights = weights;
	s->n = n;
	s->merge_at = n * 2 > MERGE_FIRST ? n * 2 : MERGE_FIRST;
}

void
sort_add(struct sort *s, const char *stack, size_t len, const weight w[2],
    bool reverse)
{
	size_t n;
	const uint32_t *from = numbers_of(s, stack, len, &n);
	uint32_t *ids;

	if (s->n == s->merge_at)
		merge(s);
	if (s->n == s->cap) {
		if (s->n >= UINT32_MAX / 2)
			msg_die(EXIT_FAILED, "too many different stacks");
		s->cap = s->cap ? s->cap * 2 : 1024;
		s->items = xreallocn(s->items, s->cap, sizeof *s->items);
		s->weights = xreallocn(s->weights, s->cap, sizeof *s->weights);
	}
	ids = room(s, n);
	s->items[s->n] = (struct text){.p = (const char *)ids,
	    .len = (uint32_t)(n * sizeof *ids),
	    .id = (uint32_t)s->n};
	for (size_t i = 0; i < n; i++)
		ids[reverse ? n - 1 - i : i] = from[i];
	s->weights[s->n].w[0] = w[0];
	s->weights[s->n].w[1] = w[1];
	s->weights[s->n].first = s->added++;
	s->n++;
}

void
sort_done(struct sort *s)
{
	ranks_init(&s->ranks, s->names);
	for (size_t i = 0; i < s->n; i++)
		ranks_from_ids(&s->ranks, (uint32_t *)(uintptr_t)s->items[i].p,
		    s->items[i].len / sizeof(uint32_t));
	textsort(s->items, s->n);
}

/* The text of a stack; what it shares with the last one's stays. */
static void
put_text(struct sort *s, const struct text *x, const struct text *last)
{
	const uint32_t *ids = (const uint32_t *)x->p, *was;
	size_t n = x->len / sizeof *ids, n_was, same = 0, len;

	was = (const uint32_t *)last->p;
	n_was = last->len / sizeof *was;
	while (same < n && same < n_was && ids[same] == was[same])
		same++;
	for (size_t i = same; i < n_was; i++) {
		intern_str(s->names, ranks_id(&s->ranks, was[i]), &len);
		s->text.len -= len + (i > 0);
	}
	for (size_t i = same; i < n; i++) {
		const char *p =
		    intern_str(s->names, ranks_id(&s->ranks, ids[i]), &len);

		if (i > 0)
			buf_addc(&s->text, ';');
		buf_add(&s->text, p, len);
	}
}

const struct sorted *
sort_next(struct sort *s)
{
	static const struct text none;
	const struct text *x;

	if (s->next == s->n)
		return NULL;
	if (s->next + AHEAD < s->n) {
		x = &s->items[s->next + AHEAD];
		__builtin_prefetch(x->p);
		__builtin_prefetch(x->p + 64);
		__builtin_prefetch(&s->weights[x->id]);
	}
	x = &s->items[s->next++];
	put_text(s, x, s->next > 1 ? x - 1 : &none);
	s->out.p = s->text.p;
	s->out.len = s->text.len;
	memcpy(s->out.w, s->weights[x->id].w, sizeof s->out.w);
	s->out.first = s->weights[x->id].first;
	return &s->out;
}
