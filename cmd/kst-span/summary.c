/* SPDX-License-Identifier: ISC */
/* The table of all names, by total time. */
#include "span.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/port.h"
#include "io/out.h"
#include "base/xalloc.h"
#include "span/hist.h"
#include "text/quote.h"

/* Of one name; all zero at first. */
struct name_row {
	uint32_t name;
	uint64_t count, errors;
	uint64_t total; /* of spans not within a span of the same name */
	uint64_t self;
	struct hist durations;
};

struct summary {
	struct pair *p;
	struct name_row *rows; /* by name */
	size_t n;
};

struct summary *
summary_new(struct pair *p)
{
	struct summary *m = xcalloc(1, sizeof *m);

	m->p = p;
	return m;
}

void
summary_free(struct summary *m)
{
	if (m == NULL)
		return;
	for (size_t i = 0; i < m->n; i++)
		hist_done(&m->rows[i].durations);
	free(m->rows);
	free(m);
}

static struct name_row *
row_of(struct summary *m, uint32_t name)
{
	struct name_row *r = xitem_zeroed(m->rows, name, m->n);

	r->name = name;
	return r;
}

void
summary_span(void *ctx, const struct span *s)
{
	struct summary *m = ctx;
	struct name_row *r;

	if (s->kind == EVENT_LOST || s->no_begin)
		return;
	r = row_of(m, s->name);
	r->count++;
	if (s->result.mark == EVENT_ERROR || s->in.mark == EVENT_ERROR)
		r->errors++;
	if (s->kind != EVENT_END)
		return;
	if (!pair_recursive(m->p, s))
		pair_sum(m->p, &r->total, s->dur);
	pair_sum(m->p, &r->self, s->self);
	hist_add(&r->durations, s->dur);
}

struct row_order {
	const struct pair *p;
	enum summary_sort by;
};

/* What a row is sorted by; nothing for SORT_NAME. */
static uint64_t
key_of(const struct name_row *r, enum summary_sort by)
{
#define ROW(id, word, key) key,
	const uint64_t keys[] = {SUMMARY_SORTS(ROW)};

	return keys[by];
}

/* The largest first; equal ones by name. */
static int
compare_rows(const void *pa, const void *pb, void *ctx)
{
	const struct row_order *o = ctx;
	const struct name_row *a = *(struct name_row *const *)pa;
	const struct name_row *b = *(struct name_row *const *)pb;
	const struct name *x = &o->p->names[a->name];
	const struct name *y = &o->p->names[b->name];
	uint64_t v = key_of(a, o->by), w = key_of(b, o->by);

	if (v != w)
		return v < w ? 1 : -1;
	return bytes_cmp(x->p, x->len, y->p, y->len);
}

static void
put_number(uint64_t v, bool csv, size_t width)
{
	char digits[20];
	size_t n = event_u64(digits, v);

	for (; !csv && n < width; width--)
		out_putc(' ');
	out_put(digits, n);
	out_putc(csv ? ',' : ' ');
}

static void
put_row(const struct summary *m, struct name_row *r, bool csv)
{
	static const unsigned percent[] = {50, 90, 99};
	const struct name *name = &m->p->names[r->name];
	struct hist *h = &r->durations;

	put_number(r->count, csv, 10);
	put_number(r->errors, csv, 6);
	put_number(r->total, csv, 15);
	put_number(r->self, csv, 15);
	put_number(h->min, csv, 11);
	for (size_t i = 0; i < 3; i++)
		put_number(hist_at(h, percent[i]), csv, 11);
	put_number(h->max, csv, 11);
	if (csv)
		quote_csv(name->p, name->len);
	else
		out_put(name->p, name->len);
	out_putc('\n');
}

void
summary_print(
    const struct summary *m, enum summary_sort by, uint64_t most, bool csv)
{
	struct row_order order = {m->p, by};
	struct name_row **sorted = xcalloc(m->n + 1, sizeof *sorted);
	uint32_t n = 0;

	for (size_t i = 0; i < m->n; i++) {
		if (m->rows[i].count)
			sorted[n++] = &m->rows[i];
	}
	port_sort(sorted, n, sizeof *sorted, compare_rows, &order);
	if (csv)
		out_puts("count,errors,total,self,min,p50,p90,p99,max,name\n");
	else
		out_printf("%10s %6s %15s %15s %11s %11s %11s %11s %11s %s\n",
		    "count", "errors", "total", "self", "min", "p50", "p90",
		    "p99", "max", "name");
	for (uint32_t i = 0; i < n && i < most; i++)
		put_row(m, sorted[i], csv);
	free(sorted);
}
