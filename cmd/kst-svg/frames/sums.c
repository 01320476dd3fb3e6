/* SPDX-License-Identifier: ISC */
#include "frames/sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/xalloc.h"
#include "frames/tree.h"
#include "set/intern.h"

struct sums *
sums_new(bool two, double least)
{
	struct sums *s = xcalloc(1, sizeof *s);

	s->names = intern_new();
	s->two = two;
	s->least = least;
	return s;
}

void
sums_free(struct sums *s)
{
	if (s == NULL)
		return;
	intern_free(s->names);
	free(s->v);
	buf_done(&s->last);
	buf_done(&s->text);
	free(s->open);
	free(s);
}

static void
open_frame(struct sums *s, const char *name, size_t len, size_t end)
{
	struct sum *sum;
	uint32_t id;

	frame_text(&name, &len, &s->text);
	id = intern_id(s->names, name, len);
	sum = xitem_zeroed(s->v, id, s->cap);
	*xpush(s->open, s->n_open, s->cap_open) =
	    (struct sums_frame){end, id, !sum->is_open};
	sum->is_open = true;
}

/* Names are looked for beyond the bytes that the last stack has, too. */
bool
sums_add(struct sums *s, const char *stack, size_t len, const weight w[2])
{
	const char *end = stack + len, *p, *stop;
	size_t same = bytes_shared(s->last.p, s->last.len, stack, len);

	for (; s->n_open && s->open[s->n_open - 1].end >= same; s->n_open--)
		if (s->open[s->n_open - 1].is_outer)
			s->v[s->open[s->n_open - 1].id].is_open = false;
	s->last.len = same;
	buf_add(&s->last, stack + same, len - same);
	p = stack + (s->n_open ? s->open[s->n_open - 1].end + 1 : 0);
	for (; len && p <= end; p = stop + 1) {
		stop = memchr(p, ';', (size_t)(end - p));
		stop = stop ? stop : end;
		open_frame(s, p, (size_t)(stop - p), (size_t)(stop - stack));
	}
	for (size_t i = 0; i < s->n_open; i++) {
		weight *of = s->v[s->open[i].id].of;

		if (s->two ? s->open[i].is_outer : i + 1 == s->n_open)
			of[0] += w[0];
		if (s->open[i].is_outer)
			of[1] += w[s->two];
	}
	return intern_count(s->names) <= SUMS_NAMES_MAX;
}
