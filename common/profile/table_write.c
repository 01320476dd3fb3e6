/* SPDX-License-Identifier: ISC */
/* A table's stacks and lines in bytewise order. */
#include "profile/table_write.h"

#include "profile/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/port.h"
#include "set/intern.h"
#include "io/out.h"
#include "set/ranks.h"
#include "set/textsort.h"
#include "base/xalloc.h"

/* For one call. */
struct writer {
	const struct table *t;
	struct ranks ranks;
};

/* Writes a stack's counts after a blank. */
static size_t
counts_text(const struct table *t, uint32_t stack, char *text)
{
	size_t len = 0;

	for (size_t i = 0; i < t->columns; i++) {
		text[len++] = ' ';
		len += count_text(table_count(t, stack, i), text + len);
	}
	return len;
}

/* The frames of a stack that is put in order. */
static const uint32_t *
ranks_of(const struct text *x, size_t *n)
{
	*n = x->len / sizeof(uint32_t);
	return (const uint32_t *)x->p;
}

static const char *
name_of(const struct writer *w, uint32_t rank, size_t *len)
{
	return intern_str(w->t->names, ranks_id(&w->ranks, rank), len);
}

/* The rest of an entry's line from frame i on, for the comparison. */
static void
line_from(const struct writer *w, const struct text *x, size_t i, struct buf *b)
{
	char text[100];
	size_t n, len;
	const uint32_t *ranks = ranks_of(x, &n);

	b->len = 0;
	for (; i < n; i++) {
		const char *p = name_of(w, ranks[i], &len);

		buf_add(b, p, len);
		if (i + 1 < n)
			buf_addc(b, ';');
	}
	buf_add(b, text, counts_text(w->t, x->id, text));
}

/* The order of lines where that of ranks does not tell it. */
static int
compare_lines(const void *a, const void *b, void *arg)
{
	static struct buf rest_a, rest_b;
	size_t i = 0, n, m;
	const uint32_t *x = ranks_of(a, &n), *y = ranks_of(b, &m);

	while (i < n && i < m && x[i] == y[i])
		i++;
	line_from(arg, a, i, &rest_a);
	line_from(arg, b, i, &rest_b);
	return bytes_cmp(rest_a.p, rest_a.len, rest_b.p, rest_b.len);
}

/*
 * Whether a stack's line comes after the next one's: a name that ends a stack
 * is followed by a blank and a count, and another name may begin with it and a
 * blank.
 */
static bool
is_misplaced(struct writer *w, const struct text *x, const struct text *next)
{
	size_t n, m, len, next_len;
	const uint32_t *a = ranks_of(x, &n), *b = ranks_of(next, &m);
	const char *p, *q;

	if (n == 0 || m < n || memcmp(a, b, (n - 1) * sizeof *a) != 0)
		return false;
	p = name_of(w, a[n - 1], &len);
	q = name_of(w, b[n - 1], &next_len);
	return next_len > len && q[len] == ' ' && memcmp(p, q, len) == 0 &&
	       compare_lines(x, next, w) > 0;
}

/* The stacks by their texts; names become ranks. */
static struct text *
by_text(struct table *t, bool leaf_first, struct writer *w)
{
	uint32_t n = table_stacks(t);
	struct text *v = xreallocn(NULL, (size_t)n + 1, sizeof *v);

	table_seal(t);
	ranks_init(&w->ranks, t->names);
	for (uint32_t i = 0; i < n; i++) {
		size_t frames;
		uint32_t *ids = table_edit(t, i, &frames);

		for (size_t k = 0; leaf_first && k < frames / 2; k++) {
			uint32_t id = ids[k];

			ids[k] = ids[frames - 1 - k];
			ids[frames - 1 - k] = id;
		}
		ranks_from_ids(&w->ranks, ids, frames);
		v[i] = (struct text){.p = (const char *)ids,
		    .len = (uint32_t)(frames * sizeof *ids),
		    .id = i};
	}
	textsort(v, n);
	return v;
}

static struct text *
by_line(struct table *t, bool leaf_first, struct writer *w)
{
	uint32_t n = table_stacks(t);
	struct text *v = by_text(t, leaf_first, w);

	for (uint32_t i = 1; i < n; i++)
		if (is_misplaced(w, &v[i - 1], &v[i])) {
			port_sort(v, n, sizeof *v, compare_lines, w);
			break;
		}
	return v;
}

void
table_write(struct table *t, bool leaf_first)
{
	struct writer w = {.t = t};
	struct text *v = by_line(t, leaf_first, &w);
	char text[100];

	for (size_t k = 0; k < table_stacks(t); k++) {
		size_t n, len;
		const uint32_t *ranks = ranks_of(&v[k], &n);

		if (k + 2 < table_stacks(t))
			__builtin_prefetch(v[k + 2].p);
		for (size_t i = 0; i < n; i++) {
			const char *p = name_of(&w, ranks[i], &len);

			out_put(p, len);
			if (i + 1 < n)
				out_putc(';');
		}
		out_put(text, counts_text(t, v[k].id, text));
		out_putc('\n');
	}
	free(v);
	ranks_done(&w.ranks);
}

/* Makes the text of a stack out of that of the last one. */
static void
next_text(const struct writer *w, const struct text *x, const struct text *last,
    struct buf *to)
{
	size_t same = bytes_shared(x->p, x->len, last->p, last->len), n, m, len;
	const uint32_t *ranks = ranks_of(x, &n), *was = ranks_of(last, &m);

	same /= sizeof *ranks;
	for (size_t i = same; i < m; i++) {
		name_of(w, was[i], &len);
		to->len -= len + (i > 0);
	}
	for (size_t i = same; i < n; i++) {
		const char *p = name_of(w, ranks[i], &len);

		if (i > 0)
			buf_addc(to, ';');
		buf_add(to, p, len);
	}
}

void
table_texts(struct table *t, bool leaf_first, table_taker *take, void *arg)
{
	static const struct text none = {.p = ""};
	struct writer w = {.t = t};
	struct text *v = by_text(t, leaf_first, &w);
	struct buf text = BUF_INIT;

	for (size_t i = 0; i < table_stacks(t); i++) {
		if (i + 2 < table_stacks(t))
			__builtin_prefetch(v[i + 2].p);
		next_text(&w, &v[i], i > 0 ? &v[i - 1] : &none, &text);
		take(arg, v[i].id, buf_str(&text), text.len);
	}
	buf_done(&text);
	free(v);
	ranks_done(&w.ranks);
}
