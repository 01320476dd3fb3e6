/* SPDX-License-Identifier: ISC */
#include "base/ranks.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/intern.h"
#include "base/textsort.h"
#include "base/xalloc.h"

/* Where it is the last one, a string ends; elsewhere it ends in `;`. */
void
ranks_init(struct ranks *r, const struct intern *names)
{
	uint32_t n = intern_count(names);
	struct text *v = xreallocn(NULL, (size_t)n * 2 + 1, sizeof *v);
	struct buf b = BUF_INIT;
	size_t len, at = 0;

	for (uint32_t i = 0; i < n; i++) {
		const char *p = intern_str(names, i, &len);

		buf_add(&b, p, len);
		buf_addc(&b, ';');
	}
	for (uint32_t i = 0; i < n; i++) {
		intern_str(names, i, &len);
		for (uint32_t last = 0; last < 2; last++)
			v[i * 2 + last] = (struct text){.p = b.p + at,
			    .len = (uint32_t)(len + !last),
			    .id = i * 2 + last};
		at += len + 1;
	}
	textsort(v, (size_t)n * 2);
	r->rank = xreallocn(NULL, (size_t)n * 2 + 1, sizeof *r->rank);
	r->of = xreallocn(NULL, (size_t)n * 2 + 1, sizeof *r->of);
	for (uint32_t i = 0; i < n * 2; i++) {
		r->of[i] = v[i].id;
		r->rank[v[i].id] = i;
	}
	buf_done(&b);
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
	return r->of[be32toh(rank)] / 2;
}
