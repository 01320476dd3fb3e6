/* SPDX-License-Identifier: ISC */
#include "gate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sides/profile.h"
#include "base/buf.h"
#include "base/msg.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "names/rx.h"
#include "usual.h"

enum {
	SAY_MAX = 10, /* regressions that the verdict lists */
	RUNS_MAX = 30 /* that anybody would wait for */
};

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
		buf_printf(err, "is one gate too many: at most %d can be given",
		    GATES_MAX);
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
		struct rx *rx = rx_new(arg, (size_t)(eq - arg), &why);

		if (rx == NULL)
			buf_printf(
			    err, "has a wrong pattern: %s", buf_str(&why));
		buf_done(&why);
		if (rx == NULL)
			return -1;
		all->patterns[all->n_patterns++] = rx;
		g->key = all->n_patterns;
		g->what_len = (size_t)(eq - arg);
	}
	all->n++;
	return 0;
}

void
gates_done(struct gates *g)
{
	for (size_t i = 0; i < g->n_patterns; i++)
		rx_free(g->patterns[i]);
	free(g->bad);
}

static void
judge(struct gates *all, struct gate *g, const struct measure *m,
    const struct row *r)
{
	const struct change *c = &r->change;

	if (!g->key && !c->tested)
		return; /* too small to matter */
	if (c->significant && c->low > g->limit) {
		*xpush(all->bad, all->n_bad, all->cap) =
		    (struct violation){g, r->key[0], *c};
	} else if (c->high > g->limit) {
		double needed = measure_needed(m, c, g->limit);

		all->n_open += g->needed <= 0;
		if (needed > g->needed) {
			g->needed = needed;
			g->open = r->key[0];
			g->change = *c;
		}
	}
}

static int
compare(const void *va, const void *vb)
{
	const struct violation *a = va, *b = vb;
	double x = a->change.change, y = b->change.change;

	return (x < y) - (x > y);
}

void
gates_judge(struct gates *all, const struct measure *table)
{
	struct measure m = *table;

	m.self = m.per_call;
	for (size_t i = 0; i < all->n && m.why[0]; i++) {
		all->v[i].needed = 1;
		all->n_open++;
	}
	for (size_t i = 0; i < all->n && !m.why[0]; i++) {
		struct gate *g = &all->v[i];
		struct row *rows, mark = {.key = {g->key, g->key}};
		size_t n;

		if (i == 0 || m.kind != g->kind) {
			m.kind = g->kind;
			usual_take(&m);
		}
		if (g->key) {
			mark.change = measure_row(&m, mark.key);
			mark.change.significant = true;
			judge(all, g, &m, &mark);
			continue;
		}
		rows = measure_rows(&m, &n);
		if (all->code)
			measure_mark(&m, all->code, rows, n);
		for (size_t k = 0; k < n; k++)
			if (all->code == NULL || rows[k].code)
				judge(all, g, &m, &rows[k]);
		free(rows);
	}
	if (all->n_bad)
		qsort(all->bad, all->n_bad, sizeof *all->bad, compare);
}

bool
gate_put_needed(const struct gate *g, const struct measure *m, struct buf *b)
{
	bool files = m->method == METHOD_FILES;
	double n[2], v;

	if (g->change.se <= 0 || (!files && !m->samples))
		return true;
	for (int i = 0; i < 2; i++)
		n[i] = files ? m->p->side[i].n_parts
			     : (double)profile_total(m->p, i)->whole;
	v = ceil(g->needed * 2 / (1 / n[0] + 1 / n[1]));
	if (!isfinite(v))
		return true;
	if (files && v > RUNS_MAX)
		buf_printf(b, "more than %d runs on each side", RUNS_MAX);
	else
		buf_printf(
		    b, "%.0f %s on each side", v, files ? "runs" : "samples");
	return !files || v <= RUNS_MAX;
}

void
gate_put_name(
    const struct gate *g, const struct measure *m, uint32_t key, struct buf *b)
{
	if (g->key)
		buf_add(b, g->text, g->what_len);
	else
		profile_name(m->p, key, b);
}

/* `466602 -> 493204 (+26602, +5.7 %)`; of costs `671.4 -> 712 (x1.061)`. */
static void
put_exact(const struct gate *g, const struct measure *m, const struct change *c,
    struct buf *b)
{
	const double all = count_real(profile_total(m->p, 0));

	if (g->kind == KIND_COST)
		buf_printf(b, "%.7g -> %.7g", c->before, c->after);
	else
		buf_printf(b, "%.0f -> %.0f", c->before * all, c->after * all);
	if (c->before <= 0)
		buf_adds(b, " (new)");
	else if (g->kind == KIND_COST)
		buf_printf(b, " (x%.4g)", c->change);
	else
		buf_printf(b, " (%+.0f, %+.3g %%)", c->more,
		    100 * c->change / c->before);
}

/* `tcp_sendmsg 20.1 % -> 24.3 % (+4.2 ± 1.1), limit +2%`. */
static void
put_change(const struct gate *g, const struct measure *m, uint32_t key,
    const struct change *c, struct buf *b)
{
	const char *limit = g->key ? g->text + g->what_len + 1 : g->text;
	struct buf name = BUF_INIT;

	gate_put_name(g, m, key, &name);
	buf_printf(b, " %s ", msg_text(name.p, name.len));
	buf_done(&name);
	if (m->method == METHOD_EXACT)
		put_exact(g, m, c, b);
	else if (g->kind == KIND_COST)
		buf_printf(b,
		    isfinite(c->high) ? "%.4g -> %.4g (x%.3f, x%.3f .. x%.3f)"
				      : "%.4g -> %.4g (x%.3f, x%.3f or more)",
		    c->before, c->after, c->change, c->low, c->high);
	else
		buf_printf(b, "%.1f %% -> %.1f %% (%+.1f \302\261 %.1f)",
		    100 * c->before, 100 * c->after,
		    round(1e3 * c->change) / 10 + 0.0, /* not -0.0 */
		    50 * (c->high - c->low));
	buf_printf(b, ", limit %s", msg_str(limit));
}

void
gates_verdict(const struct gates *all, const struct measure *m, struct buf *b)
{
	struct buf needed = BUF_INIT;

	for (size_t i = 0; i < all->n_bad && i < SAY_MAX; i++) {
		const struct violation *v = &all->bad[i];

		buf_adds(b, "REGRESSION");
		put_change(v->gate, m, v->key, &v->change, b);
		buf_addc(b, '\n');
	}
	if (all->n_bad > SAY_MAX)
		buf_printf(b, "REGRESSION of %zu more\n", all->n_bad - SAY_MAX);
	for (size_t i = 0; i < all->n; i++) {
		const struct gate *g = &all->v[i];
		bool few;

		if (g->needed <= 0)
			continue;
		buf_adds(b, "INCONCLUSIVE");
		if (m->why[0])
			buf_printf(
			    b, " limit %s: %s", msg_str(g->text), m->why);
		else
			put_change(g, m, g->open, &g->change, b);
		needed.len = 0;
		few = gate_put_needed(g, m, &needed);
		if (needed.len)
			buf_printf(b,
			    few ? ": about %s would decide"
				: ": %s would decide; longer runs or "
				  "kst-count(1) need fewer",
			    buf_str(&needed));
		buf_addc(b, '\n');
	}
	if (all->n && b->len == 0) {
		buf_adds(b, "NO REGRESSION beyond ");
		for (size_t i = 0; i < all->n; i++)
			buf_printf(
			    b, "%s%s", i ? ", " : "", msg_str(all->v[i].text));
		buf_addc(b, '\n');
	}
	buf_done(&needed);
}
