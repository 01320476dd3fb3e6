/* SPDX-License-Identifier: ISC */
/*
 * Stacks are arrays of numbers of names while they are collected, and of their
 * ranks while they are sorted: a tenth of their text.
 */
#include "read/sort.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "set/intern.h"
#include "set/ranks.h"
#include "set/textsort.h"
#include "base/xalloc.h"

/* Stacks whose memory is fetched before they are needed. */
enum { AHEAD = 4 };

struct sort {
	struct intern *names, *stacks; /* stacks: arrays of their numbers */
	weight (*weights)[2];	       /* of each stack */
	size_t cap;
	struct ranks ranks;
	struct text *items; /* the stacks in order */
	size_t next;
	struct sorted out;
	struct buf text; /* of the stack that is given back */
	uint32_t *ids;	 /* of the stack that is added */
	size_t cap_ids;
};

struct sort *
sort_new(void)
{
	struct sort *s = xcalloc(1, sizeof *s);

	s->names = intern_new();
	s->stacks = intern_new();
	return s;
}

void
sort_free(struct sort *s)
{
	if (s == NULL)
		return;
	intern_free(s->names);
	intern_free(s->stacks);
	ranks_done(&s->ranks);
	free(s->items);
	free(s->weights);
	buf_done(&s->text);
	free(s->ids);
	free(s);
}

/* The numbers of a stack's frames, in s->ids; returns how many. */
static size_t
numbers_of(struct sort *s, const char *stack, size_t len)
{
	const char *end = stack + len;
	size_t n = 0;

	for (const char *stop; len && stack <= end; stack = stop + 1) {
		stop = memchr(stack, ';', (size_t)(end - stack));
		if (stop == NULL)
			stop = end;
		*xpush(s->ids, n, s->cap_ids) =
		    intern_id(s->names, stack, (size_t)(stop - stack));
	}
	return n;
}

void
sort_add(struct sort *s, const char *stack, size_t len, const weight w[2],
    bool reverse)
{
	uint32_t known = intern_count(s->stacks), id;
	size_t n = numbers_of(s, stack, len);

	for (size_t i = 0; reverse && i < n / 2; i++) {
		uint32_t swap = s->ids[i];

		s->ids[i] = s->ids[n - 1 - i];
		s->ids[n - 1 - i] = swap;
	}
	id = intern_id(s->stacks, (const char *)s->ids, n * sizeof *s->ids);
	s->weights =
	    xgrow(s->weights, (size_t)id + 1, &s->cap, sizeof *s->weights);
	for (int k = 0; k < 2; k++)
		s->weights[id][k] = w[k] + (id < known ? s->weights[id][k] : 0);
}

void
sort_done(struct sort *s)
{
	uint32_t n = intern_count(s->stacks);

	ranks_init(&s->ranks, s->names);
	s->items = xreallocn(NULL, (size_t)n + 1, sizeof *s->items);
	for (uint32_t i = 0; i < n; i++) {
		size_t len;
		const char *p = intern_str(s->stacks, i, &len);

		/* nothing is looked for among the stacks any more */
		ranks_from_ids(&s->ranks, (uint32_t *)(uintptr_t)p,
		    len / sizeof(uint32_t));
		s->items[i] = (struct text){p, (uint32_t)len, i, 0};
	}
	textsort(s->items, n);
}

/* The text of a stack, made from the last one's. */
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
	size_t n = intern_count(s->stacks);
	const struct text *x;

	if (s->next == n)
		return NULL;
	if (s->next + AHEAD < n) {
		x = &s->items[s->next + AHEAD];
		__builtin_prefetch(x->p);
		__builtin_prefetch(x->p + 64);
		__builtin_prefetch(&s->weights[x->id]);
	}
	x = &s->items[s->next++];
	put_text(s, x, s->next > 1 ? x - 1 : &none);
	s->out.p = buf_str(&s->text); /* not NULL for an empty stack */
	s->out.len = s->text.len;
	memcpy(s->out.w, s->weights[x->id], sizeof s->out.w);
	s->out.first = x->id;
	return &s->out;
}
