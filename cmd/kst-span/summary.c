/* SPDX-License-Identifier: ISC */
/* The table of all names, by total time. */
#include "sinks.h"

#include <stdlib.h>
#include <string.h>

#include "hist.h"
#include "base/bytes.h"
#include "base/out.h"
#include "base/xalloc.h"

/* Of one name; all zero at first. */
struct row {
	uint32_t name;
	uint64_t count, errors;
	uint64_t total; /* of spans not within a span of the same name */
	uint64_t self;
	struct hist durations;
};

struct summary {
	struct pair *p;
	struct row *rows; /* by name */
	size_t n;
	bool overflow;
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

static struct row *
row_of(struct summary *m, uint32_t name)
{
	if (name >= m->n) {
		size_t n = m->n;

		m->rows = xgrow(m->rows, name + 1, &m->n, sizeof *m->rows);
		memset(m->rows + n, 0, (m->n - n) * sizeof *m->rows);
	}
	m->rows[name].name = name;
	return &m->rows[name];
}

static void
add(struct summary *m, uint64_t *sum, uint64_t v)
{
	if (__builtin_add_overflow(*sum, v, sum)) {
		*sum = UINT64_MAX;
		m->overflow = true;
	}
}

void
summary_span(void *ctx, const struct span *s)
{
	struct summary *m = ctx;
	struct row *r;

	if (s->kind == EVENT_LOST || s->no_begin)
		return;
	r = row_of(m, s->name);
	r->count++;
	if (s->result.mark == EVENT_ERROR || s->in.mark == EVENT_ERROR)
		r->errors++;
	if (s->kind != EVENT_END)
		return;
	if (!m->p->tree.nodes[s->node].recursive)
		add(m, &r->total, s->dur);
	add(m, &r->self, s->self);
	hist_add(&r->durations, s->dur);
}

bool
summary_overflow(const struct summary *m)
{
	return m->overflow;
}

static int
compare(const void *pa, const void *pb, void *ctx)
{
	const struct pair *p = ctx;
	const struct row *a = *(struct row *const *)pa;
	const struct row *b = *(struct row *const *)pb;
	const struct str *x = &p->names[a->name];
	const struct str *y = &p->names[b->name];

	if (a->total != b->total)
		return a->total < b->total ? 1 : -1;
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
put_csv(const struct str *s)
{
	if (!memchr(s->p, ',', s->len) && !memchr(s->p, '"', s->len)) {
		out_put(s->p, s->len);
		return;
	}
	out_putc('"');
	for (size_t i = 0; i < s->len; i++) {
		if (s->p[i] == '"')
			out_putc('"');
		out_putc(s->p[i]);
	}
	out_putc('"');
}

static void
put_row(const struct summary *m, struct row *r, bool csv)
{
	static const unsigned percent[] = {50, 90, 99};
	const struct str *name = &m->p->names[r->name];
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
		put_csv(name);
	else
		out_put(name->p, name->len);
	out_putc('\n');
}

void
summary_print(const struct summary *m, bool csv)
{
	struct row **sorted = xcalloc(m->n + 1, sizeof *sorted);
	uint32_t n = 0;

	for (size_t i = 0; i < m->n; i++) {
		if (m->rows[i].count)
			sorted[n++] = &m->rows[i];
	}
	qsort_r(sorted, n, sizeof *sorted, compare, m->p);
	if (csv)
		out_puts("count,errors,total,self,min,p50,p90,p99,max,name\n");
	else
		out_printf("%10s %6s %15s %15s %11s %11s %11s %11s %11s %s\n",
		    "count", "errors", "total", "self", "min", "p50", "p90",
		    "p99", "max", "name");
	for (uint32_t i = 0; i < n; i++)
		put_row(m, sorted[i], csv);
	free(sorted);
}
