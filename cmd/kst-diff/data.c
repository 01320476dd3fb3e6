/* SPDX-License-Identifier: ISC */
/* CSV and JSON. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "calls/calls.h"
#include "sides/profile.h"
#include "base/buf.h"
#include "io/out.h"
#include "diff.h"
#include "text/quote.h"

#define WORD(id, word) word,
const char *const show_by[] = {PROFILE_KEYS(WORD)};

static const char *const METHODS[] = {
    "files", "captures", "samples", "exact", "none"};

/* Appends a row's name; `old -> new`, marked as a guess, for two. */
static void
add_names(const struct show *s, const struct row *r, struct buf *b)
{
	profile_name(s->m->p, r->key[0], b);
	if (r->key[0] == r->key[1])
		return;
	buf_adds(b, " -> ");
	profile_name(s->m->p, r->key[1], b);
	buf_adds(b, " (renamed?)");
}

void
show_name(const struct show *s, const struct row *r, struct buf *b)
{
	add_names(s, r, b);
	if (r->code)
		buf_printf(b, " [code %s%s%s]", r->code, r->place ? ": " : "",
		    r->place ? r->place : "");
}

/* What stands before a value that is not a row's first one. */
static void
put_key(const char *key, bool json)
{
	out_printf(json ? ",\"%s\":" : ",", key);
}

/* A missing number is nothing in CSV. */
static void
put_number(const char *key, double v, bool json)
{
	put_key(key, json);
	if (isfinite(v))
		out_printf("%.6g", v);
	else if (json)
		out_puts("null");
}

static void
put_change(const struct change *c, bool json)
{
	put_number("before", c->before, json);
	put_number("after", c->after, json);
	put_number("change", c->change, json);
	put_number("low", c->low, json);
	put_number("high", c->high, json);
	put_number("p", c->p, json);
}

/* How often a row's function was called. */
static void
put_calls(const struct show *s, const struct row *r, bool json)
{
	put_key("calls_before", json);
	count_put(&profile_call(s->m->p, r->key[0])->calls[0]);
	put_key("calls_after", json);
	count_put(&profile_call(s->m->p, r->key[1])->calls[1]);
}

/* What a row's function calls more or less often in each call. */
static void
put_callee(const struct show *s, const struct row *r, bool json)
{
	struct called c = {.rate = {NAN, NAN}};
	struct buf b = BUF_INIT;
	const bool found = calls_changed(s, r, &c);

	if (found)
		profile_name(s->m->p, c.key, &b);
	put_key("callee", json);
	if (found || !json)
		(json ? quote_json : quote_csv)(buf_str(&b), b.len);
	else
		out_puts("null");
	put_number("callee_before", c.rate[0], json);
	put_number("callee_after", c.rate[1], json);
	buf_done(&b);
}

static void
put_row(const struct show *s, const struct row *r, bool json)
{
	bool significant = r->change.significant;
	struct buf b = BUF_INIT;

	add_names(s, r, &b);
	out_puts(json ? "{\"name\":" : "");
	(json ? quote_json : quote_csv)(buf_str(&b), b.len);
	buf_done(&b);
	put_key("weight_before", json);
	count_put(r->weight[0]);
	put_key("weight_after", json);
	count_put(r->weight[1]);
	put_change(&r->change, json);
	put_key("significant", json);
	if (json)
		out_puts(significant ? "true" : "false");
	else
		out_putc(significant ? '1' : '0');
	if (s->code && json)
		out_printf(",\"code\":\"%s\"", r->code ? r->code : "equal");
	else if (s->code)
		out_printf(",%s", r->code ? r->code : "equal");
	if (s->m->per_call) {
		put_calls(s, r, json);
		put_number("calls_compared",
		    profile_call(s->m->p, r->key[0])->compared, json);
	}
	if (s->m->per_call && s->code)
		put_callee(s, r, json);
	out_puts(json ? "}" : "\n");
}

void
show_csv(const struct show *s)
{
	out_printf("%s,weight_before,weight_after,before,after,change,low,high,"
		   "p,significant%s%s%s\n",
	    show_by[s->by], s->code ? ",code" : "",
	    s->m->per_call ? ",calls_before,calls_after,calls_compared" : "",
	    s->m->per_call && s->code ? ",callee,callee_before,callee_after"
				      : "");
	for (size_t i = 0; i < s->limit; i++)
		put_row(s, &s->rows[i], false);
}

static void
json_side(const struct show *s, int side)
{
	const struct side *of = &s->side[side];

	out_printf(",\n\"%s\":{\"files\":%zu,\"captures\":%" PRIu64
		   ",\"total\":",
	    side ? "after" : "before", of->n, of->captures);
	count_put(profile_total(s->m->p, side));
	put_number("work", s->m->work[side] > 0 ? s->m->work[side] : NAN, true);
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
		put_change(&v->change, true);
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

/* What the lines of the table say of the two runs. */
static void
json_runs(const struct show *s)
{
	int side;
	const struct row *r = calls_behind(s, &side);
	struct buf b = BUF_INIT;
	size_t only[2];

	out_printf(",\n\"same_work\":%s",
	    measure_same_work(s->m, s->rows, s->n, only) ? "true" : "false");
	out_printf(",\"only_before\":%zu,\"only_after\":%zu", only[0], only[1]);
	if (r != NULL) {
		profile_name(s->m->p, r->key[side], &b);
		out_printf(",\n\"not_as_far\":{\"side\":\"%s\",\"name\":",
		    side ? "after" : "before");
		quote_json(buf_str(&b), b.len);
		put_calls(s, r, true);
		out_putc('}');
	}
	buf_done(&b);
}

void
show_json(const struct show *s)
{
	out_printf("{\"version\":1,\"by\":\"%s\",\"measure\":\"%s\","
		   "\"kind\":\"%s\",\"method\":\"%s\",\"unit\":",
	    show_by[s->by], s->m->self ? "self" : "total",
	    s->m->kind == KIND_COST ? "cost" : "share", METHODS[s->m->method]);
	quote_json(s->side[0].unit, strlen(s->side[0].unit));
	json_side(s, 0);
	json_side(s, 1);
	out_puts(",\n\"rows\":[");
	for (size_t i = 0; i < s->limit; i++) {
		out_puts(i ? ",\n" : "\n");
		put_row(s, &s->rows[i], true);
	}
	out_puts("]");
	if (s->m->per_call && s->code)
		json_runs(s);
	json_gates(s);
	if (s->m->why[0]) {
		out_puts(",\n\"note\":");
		quote_json(s->m->why, strlen(s->m->why));
	}
	out_puts("}\n");
}
