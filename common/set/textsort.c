/* SPDX-License-Identifier: ISC */
/*
 * A group of texts that begin alike is sorted by the two bytes after what all
 * share; those that have the same two are a group again. Of a small group the
 * next eight bytes are compared as a number first.
 */
#include "set/textsort.h"

#include <endian.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/xalloc.h"

/* Groups of fewer texts are compared. */
enum { FEW = 64 };

struct group {
	size_t first, n;
	size_t at; /* bytes that all have and share */
};

struct sort {
	struct text *v, *tmp;
	struct group *todo;
	size_t n_todo, cap;
};

/* Bytes [at, at + 8) of the text in their order; zeros beyond its end. */
static uint64_t
key_at(const struct text *s, size_t at)
{
	const size_t left = s->len - at;
	uint64_t k = 0;

	if (left >= sizeof k)
		memcpy(&k, s->p + at, sizeof k);
	else if (left > 0)
		memcpy(&k, s->p + at, left);
	return be64toh(k);
}

static int
compare(const void *va, const void *vb)
{
	const struct text *a = va, *b = vb;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return bytes_cmp(a->p, a->len, b->p, b->len);
}

/* Puts the texts in the order of a byte of their keys, equal ones as they are.
 */
static void
order_by_byte(const struct text *from, struct text *to, size_t n, int shift)
{
	size_t place[256] = {0}, at = 0;

	for (size_t i = 0; i < n; i++)
		place[from[i].key >> shift & 255]++;
	for (size_t c = 0; c < 256; c++) {
		at += place[c];
		place[c] = at - place[c];
	}
	for (size_t i = 0; i < n; i++)
		to[place[from[i].key >> shift & 255]++] = from[i];
}

/*
 * Of texts with the same two bytes at `at`, puts those first that end within
 * these, the shorter before the longer. Returns how many there are.
 */
static size_t
ended_first(struct text *v, size_t n, size_t at)
{
	size_t m = 0;

	for (size_t len = at; len < at + 2; len++)
		for (size_t i = m; i < n; i++)
			if (v[i].len == len) {
				struct text t = v[i];

				v[i] = v[m];
				v[m++] = t;
			}
	return m;
}

/* Of texts in the order of two bytes: those that have the same two. */
static void
add_groups(struct sort *s, const struct group *g)
{
	struct text *v = s->v + g->first;

	for (size_t i = 0, k; i < g->n; i = k) {
		const uint64_t bytes = v[i].key >> 48;
		bool ends = false;

		for (k = i; k < g->n && v[k].key >> 48 == bytes; k++)
			ends |= v[k].len < g->at + 2;
		if (ends)
			i += ended_first(v + i, k - i, g->at);
		if (k - i > 1)
			*xpush(s->todo, s->n_todo, s->cap) =
			    (struct group){g->first + i, k - i, g->at + 2};
	}
}

static void
sort_group(struct sort *s, struct group g)
{
	struct text *v = s->v + g.first;
	size_t shared = v[0].len - g.at;

	for (size_t i = 1; i < g.n && shared > 0; i++)
		shared = bytes_shared(
		    v[0].p + g.at, shared, v[i].p + g.at, v[i].len - g.at);
	g.at += shared;
	for (size_t i = 0; i < g.n; i++)
		v[i].key = key_at(&v[i], g.at);
	if (g.n < FEW) {
		qsort(v, g.n, sizeof *v, compare);
		return;
	}
	order_by_byte(v, s->tmp, g.n, 48);
	order_by_byte(s->tmp, v, g.n, 56);
	add_groups(s, &g);
}

void
textsort(struct text *v, size_t n)
{
	struct sort s = {.v = v};

	if (n >= FEW)
		s.tmp = xreallocn(NULL, n, sizeof *v);
	if (n > 0)
		*xpush(s.todo, s.n_todo, s.cap) = (struct group){0, n, 0};
	while (s.n_todo > 0)
		sort_group(&s, s.todo[--s.n_todo]);
	free(s.todo);
	free(s.tmp);
}
