/* SPDX-License-Identifier: ISC */
/* CSV and JSON. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "io/out.h"
#include "diff.h"
#include "text/quote.h"

const char *const show_by[] = {"function", "stack", "root"};

static const char *const METHODS[] = {
    "files", "captures", "samples", "exact", "none"};

/* Appends a row's name; `old -> new`, marked as a guess, for two. */
void
show_name(const struct show *s, const struct row *r, struct buf *b)
{
	profile_name(s->m->p, r->key[0], b);
	if (r->key[0] == r->key[1])
		return;
	buf_adds(b, " -> ");
	profile_name(s->m->p, r->key[1], b);
	buf_adds(b, " (renamed?)");
}

void
show_csv(const struct show *s)
{
	struct buf b = BUF_INIT;

	out_printf("%s,weight_before,weight_after,before,after,change,low,high,"
		   "p,significant\n",
	    show_by[s->by]);
	for (size_t i = 0; i < s->limit; i++) {
		const struct row *r = &s->rows[i];
		const struct change *c = &r->change;
		const double v[] = {
		    c->before, c->after, c->change, c->low, c->high, c->p};

		b.len = 0;
		show_name(s, r, &b);
		quote_csv(buf_str(&b), b.len);
		out_putc(',');
		count_put(r->weight[0]);
		out_putc(',');
		count_put(r->weight[1]);
		for (size_t k = 0; k < sizeof v / sizeof *v; k++) {
			out_putc(','); /* nothing for a missing number */
			if (isfinite(v[k]))
				out_printf("%.6g", v[k]);
		}
		out_printf(",%d\n", c->significant);
	}
	buf_done(&b);
}

static void
json_number(const char *key, double v)
{
	out_printf(",\"%s\":", key);
	if (isfinite(v))
		out_printf("%.6g", v);
	else
		out_puts("null");
}

static void
json_change(const struct change *c)
{
	json_number("before", c->before);
	json_number("after", c->after);
	json_number("change", c->change);
	json_number("low", c->low);
	json_number("high", c->high);
	json_number("p", c->p);
}

static void
json_side(const struct show *s, int side)
{
	const struct side *of = &s->side[side];

	out_printf(",\n\"%s\":{\"files\":%zu,\"captures\":%" PRIu64
		   ",\"total\":",
	    side ? "after" : "before", of->n, of->captures);
	count_put(profile_total(s->m->p, side));
	json_number("work", s->m->work[side] > 0 ? s->m->work[side] : NAN);
	out_putc('}');
}

static void
json_gates(const struct show *s)
{
	const struct gates *g = s->gates;
	struct buf b = BUF_INIT;

	out_puts(",\n\"violations\":[");
	for (size_t i = 0; i < g->n_bad; i++) {
		const struct violation *v = &g->bad[i];

		b.len = 0;
		gate_put_name(v->gate, s->m, v->key, &b);
		out_puts(i ? ",\n{\"gate\":" : "\n{\"gate\":");
		quote_json(v->gate->text, strlen(v->gate->text));
		out_puts(",\"name\":");
		quote_json(buf_str(&b), b.len);
		json_change(&v->change);
		out_putc('}');
	}
	out_puts("],\n\"inconclusive\":[");
	for (size_t i = 0, n = 0; i < g->n; i++) {
		if (g->v[i].needed <= 0)
			continue;
		out_puts(n++ ? ",\n{\"gate\":" : "\n{\"gate\":");
		quote_json(g->v[i].text, strlen(g->v[i].text));
		b.len = 0;
		gate_put_needed(&g->v[i], s->m, &b);
		out_puts(",\"needed\":");
		quote_json(buf_str(&b), b.len);
		out_putc('}');
	}
	out_puts("]");
	buf_done(&b);
}

void
show_json(const struct show *s)
{
	struct buf b = BUF_INIT;

	out_printf("{\"version\":1,\"by\":\"%s\",\"measure\":\"%s\","
		   "\"kind\":\"%s\",\"method\":\"%s\",\"unit\":",
	    show_by[s->by], s->m->self ? "self" : "total",
	    s->m->kind == KIND_COST ? "cost" : "share", METHODS[s->m->method]);
	quote_json(s->side[0].unit, strlen(s->side[0].unit));
	json_side(s, 0);
	json_side(s, 1);
	out_puts(",\n\"rows\":[");
	for (size_t i = 0; i < s->limit; i++) {
		const struct row *r = &s->rows[i];

		b.len = 0;
		show_name(s, r, &b);
		out_puts(i ? ",\n{\"name\":" : "\n{\"name\":");
		quote_json(buf_str(&b), b.len);
		out_puts(",\"weight_before\":");
		count_put(r->weight[0]);
		out_puts(",\"weight_after\":");
		count_put(r->weight[1]);
		json_change(&r->change);
		out_printf(",\"significant\":%s}",
		    r->change.significant ? "true" : "false");
	}
	out_puts("]");
	json_gates(s);
	if (s->m->why[0]) {
		out_puts(",\n\"note\":");
		quote_json(s->m->why, strlen(s->m->why));
	}
	out_puts("}\n");
	buf_done(&b);
}
