/* SPDX-License-Identifier: ISC */
#include "set/ranks.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "set/intern.h"
#include "set/textsort.h"
#include "base/xalloc.h"

/* Whether `b`, which comes after `a`, comes before `a` and a `;` too. */
static bool
is_before_end(const struct text *a, const struct text *b)
{
	return b->len > a->len && memcmp(a->p, b->p, a->len) == 0 &&
	       (unsigned char)b->p[a->len] < ';';
}

/*
 * A string's rank as the last one is its place among the sorted strings. Its
 * rank before a `;` comes after the strings that go on with a lesser byte: the
 * string stays open until these have theirs.
 */
void
ranks_init(struct ranks *r, const struct intern *names)
{
	uint32_t n = intern_count(names), n_open = 0, next = 0;
	struct text *v = xreallocn(NULL, (size_t)n + 1, sizeof *v), **open;

	for (uint32_t i = 0; i < n; i++) {
		size_t len;

		v[i].p = intern_str(names, i, &len);
		v[i].len = (uint32_t)len;
		v[i].id = i;
	}
	textsort(v, n);
	open = xreallocn(NULL, (size_t)n + 1, sizeof *open);
	r->rank = xreallocn(NULL, (size_t)n * 2 + 1, sizeof *r->rank);
	r->of = xreallocn(NULL, (size_t)n * 2 + 1, sizeof *r->of);
	for (uint32_t i = 0; i <= n; i++) {
		while (n_open &&
		       (i == n || !is_before_end(open[n_open - 1], &v[i]))) {
			uint32_t id = open[--n_open]->id;

			r->of[next] = id;
			r->rank[(size_t)id * 2] = next++;
		}
		if (i == n)
			break;
		r->of[next] = v[i].id;
		r->rank[(size_t)v[i].id * 2 + 1] = next++;
		open[n_open++] = &v[i];
	}
	free(open);
	free(v);
}

void
ranks_done(struct ranks *r)
{
	free(r->rank);
	free(r->of);
	r->rank = r->of = NULL;
}

/* Most significant byte first, so that bytes are in the numbers' order. */
void
ranks_from_ids(const struct ranks *r, uint32_t *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		text[i] = htobe32(r->rank[(size_t)text[i] * 2 + (i + 1 == n)]);
}

uint32_t
ranks_id(const struct ranks *r, uint32_t rank)
{
	return r->of[be32toh(rank)];
}
