/* SPDX-License-Identifier: ISC */
#include "gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "names/rx.h"

/* `+2%` or `x1.10`. */
static int
parse_limit(const char *p, size_t len, struct gate *g)
{
	double v;

	if (len > 2 && p[0] == '+' && p[len - 1] == '%' &&
	    num_real(p + 1, len - 2, &v) == 0 && v > 0 && v < 100) {
		g->kind = KIND_SHARE;
		g->limit = v / 100;
		return 0;
	}
	if (len > 1 && p[0] == 'x' && num_real(p + 1, len - 1, &v) == 0 &&
	    v > 1 && v < 1e6) {
		g->kind = KIND_COST;
		g->limit = v;
		return 0;
	}
	return -1;
}

int
gate_option(void *gates, const char *arg, struct buf *err)
{
	struct gates *all = gates;
	struct gate *g = &all->v[all->n];
	const char *eq = strrchr(arg, '='), *limit = eq ? eq + 1 : arg;

	if (all->n == GATES_MAX) {
		buf_printf(err, "is more than %d gates", GATES_MAX);
		return -1;
	}
	*g = (struct gate){.text = arg};
	if (parse_limit(limit, strlen(limit), g) != 0) {
		buf_adds(err, "is not a limit such as +2%, x1.10 or "
			      "PATTERN=+0.5%");
		return -1;
	}
	if (eq) {
		struct buf why = BUF_INIT;

		g->what = arg;
		g->what_len = (size_t)(eq - arg);
		g->rx = rx_new(arg, g->what_len, &why);
		g->mark = all->n_marks;
		if (g->rx == NULL)
			buf_printf(
			    err, "has a wrong pattern: %s", buf_str(&why));
		buf_done(&why);
		if (g->rx == NULL)
			return -1;
		all->n_marks++;
	}
	all->n++;
	return 0;
}

void
gates_done(struct gates *g)
{
	for (size_t i = 0; i < g->n; i++)
		rx_free(g->v[i].rx);
	free(g->bad);
}

uint64_t
gates_marks(void *gates, const char *name, size_t len)
{
	const struct gates *all = gates;
	uint64_t bits = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct gate *g = &all->v[i];

		if (g->rx && rx_match(g->rx, name, len) > 0)
			bits |= (uint64_t)1 << g->mark;
	}
	return bits;
}

static void
judge(struct gates *all, struct gate *g, const struct measure *m, uint32_t key,
    const struct change *c, bool significant)
{
	double limit = g->kind == KIND_COST ? log(g->limit) : g->limit;

	if (significant && c->low > g->limit) {
		*xadd(all->bad, all->n_bad, all->cap) =
		    (struct violation){g, key, *c};
	} else if (c->high > g->limit) {
		g->unknown |= m->method == METHOD_NONE;
		if (measure_needed(c, limit) > g->needed) {
			g->needed = measure_needed(c, limit);
			g->open = key;
		}
	}
}

void
gates_judge(struct gates *all, const struct measure *table)
{
	struct measure m = *table;

	m.self = false;
	for (size_t i = 0; i < all->n; i++) {
		struct gate *g = &all->v[i];
		struct row *rows;
		size_t n;

		m.kind = g->kind;
		if (g->rx) {
			struct change c = measure_key(&m, g->mark);

			judge(all, g, &m, g->mark, &c, true);
			continue;
		}
		rows = measure_rows(&m, &n);
		for (size_t k = 0; k < n; k++)
			judge(all, g, &m, rows[k].key, &rows[k].change,
			    rows[k].change.significant);
		free(rows);
	}
}

bool
gate_is_open(const struct gate *g)
{
	return g->unknown || g->needed > 1;
}

void
gate_put_needed(const struct gate *g, const struct measure *m, struct buf *b)
{
	const struct profile_side *s = m->p->side;
	bool files = m->method == METHOD_FILES;
	double n[2], v;

	if (g->unknown || (!files && !m->samples))
		return;
	for (int i = 0; i < 2; i++)
		n[i] = files ? (double)m->files[i] : (double)s[i].total.whole;
	v = ceil(g->needed * 2 / (1 / n[0] + 1 / n[1]));
	buf_printf(b, "%.0f %s a side", v, files ? "files" : "samples");
}

void
gate_put_name(
    const struct gate *g, const struct measure *m, uint32_t key, struct buf *b)
{
	if (g->rx)
		buf_add(b, g->what, g->what_len);
	else
		profile_name(m->p, key, b);
}
