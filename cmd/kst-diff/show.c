/* SPDX-License-Identifier: ISC */
/* The order of rows, and the table for people. */
#include "show.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "base/out.h"
#include "text/quote.h"

struct order {
	const struct profile *p;
	enum sort sort;
	enum kind kind;
};

static double
size_of(const struct order *o, const struct change *c)
{
	if (o->sort == SORT_BEFORE)
		return c->before;
	if (o->sort == SORT_AFTER)
		return c->after;
	if (o->kind == KIND_SHARE)
		return fabs(c->change);
	/* a new one has grown without end */
	return c->change > 0 ? fabs(log(c->change)) : INFINITY;
}

static int
compare(const void *va, const void *vb, void *arg)
{
	static struct buf a_name, b_name;
	const struct row *a = va, *b = vb;
	const struct order *o = arg;
	double x, y;

	if (o->sort == SORT_CHANGE &&
	    a->change.significant != b->change.significant)
		return a->change.significant ? -1 : 1;
	x = size_of(o, &a->change);
	y = size_of(o, &b->change);
	if (o->sort != SORT_NAME && x != y)
		return x > y ? -1 : 1;
	a_name.len = b_name.len = 0;
	profile_name(o->p, a->key, &a_name);
	profile_name(o->p, b->key, &b_name);
	return bytes_cmp(a_name.p, a_name.len, b_name.p, b_name.len);
}

static void
sort_rows(struct show *s, enum sort sort)
{
	struct order o = {s->m->p, sort, s->m->kind};

	if (s->n)
		qsort_r(s->rows, s->n, sizeof *s->rows, compare, &o);
}

void
show_sentence(const struct show *s, struct buf *b)
{
	static const char *const things[] = {"function", "stack", "root"};
	size_t slower = 0, faster = 0;
	double same = s->m->kind == KIND_COST ? 1 : 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct change *c = &s->rows[i].change;

		slower += c->significant && c->change > same;
		faster += c->significant && c->change < same;
	}
	buf_printf(b, "slower in %zu %s%s, faster in %zu, %zu without a change",
	    slower, things[s->by], slower == 1 ? "" : "s", faster,
	    s->n - slower - faster);
	buf_adds(b, "; total ");
	count_commas(&s->m->p->side[0].total, b);
	buf_adds(b, " and ");
	count_commas(&s->m->p->side[1].total, b);
	buf_printf(b, " %s", msg_str(s->side[0].unit));
}

void
show_value(const struct show *s, double v, struct buf *b)
{
	if (s->m->kind == KIND_COST)
		buf_printf(b, "%.4g", v);
	else
		buf_printf(b, "%.2f%%", 100 * v);
}

/* Points of shares; of costs the growth, `+10.0%`. */
void
show_change(const struct show *s, double v, struct buf *b)
{
	if (!isfinite(v))
		buf_adds(b, "new");
	else if (s->m->kind == KIND_COST)
		buf_printf(b, "%+.1f%%", 100 * (v - 1));
	else
		buf_printf(b, "%+.2f", 100 * v + 0.0);
}

void
show_interval(const struct show *s, const struct change *c, struct buf *b)
{
	if (s->m->method == METHOD_NONE || !isfinite(c->high)) {
		buf_addc(b, '-');
		return;
	}
	show_change(s, c->low, b);
	buf_adds(b, " .. ");
	show_change(s, c->high, b);
}

void
show_violation(const struct show *s, const struct violation *v, struct buf *b)
{
	struct measure m = *s->m;
	struct show as = *s;
	struct buf name = BUF_INIT;

	m.kind = v->gate->kind;
	as.m = &m;
	gate_put_name(v->gate, s->m, v->key, &name);
	buf_printf(b, "%s: ", msg_text(name.p, name.len));
	show_value(&as, v->change.before, b);
	buf_adds(b, " before, ");
	show_value(&as, v->change.after, b);
	buf_adds(b, " after, change ");
	show_change(&as, v->change.change, b);
	buf_adds(b, " (");
	show_interval(&as, &v->change, b);
	buf_printf(b, "), limit %s", msg_str(v->gate->text));
	buf_done(&name);
}

static void
pad(const struct buf *b, size_t width)
{
	for (size_t i = b->len; i < width; i++)
		out_putc(' ');
	out_put(b->p, b->len);
}

/* The name; its left goes when the line would be too long. */
static void
put_name(const struct show *s, uint32_t key, size_t used, struct buf *b)
{
	size_t room = s->width > used + 10 ? s->width - used : 10;

	b->len = 0;
	profile_name(s->m->p, key, b);
	quote_term(b->p, b->len, s->width ? room : 0);
}

enum { VALUE = 8, CHANGE = 9, INTERVAL = 20 };

static void
put_row(const struct show *s, const struct row *r, struct buf *b)
{
	const struct change *c = &r->change;
	const char *colour = "";

	if (s->colour && c->significant)
		colour = c->change > (s->m->kind == KIND_COST) ? "\033[31m"
							       : "\033[32m";
	out_puts(colour);
	b->len = 0;
	show_value(s, c->before, b);
	pad(b, VALUE);
	b->len = 0;
	show_value(s, c->after, b);
	pad(b, VALUE + 1);
	b->len = 0;
	if (c->significant || s->m->method == METHOD_NONE)
		show_change(s, c->change, b);
	else
		buf_addc(b, '~');
	pad(b, CHANGE);
	b->len = 0;
	show_interval(s, c, b);
	pad(b, INTERVAL);
	out_puts("  ");
	put_name(s, r->key, VALUE + VALUE + 1 + CHANGE + INTERVAL + 2, b);
	out_puts(*colour ? "\033[0m\n" : "\n");
}

static void
show_text(const struct show *s)
{
	static const char *const heads[] = {"function", "stack", "root"};
	struct buf b = BUF_INIT;

	show_sentence(s, &b);
	buf_addc(&b, '\n');
	out_put(b.p, b.len);
	if (s->n)
		out_printf("%*s%*s%*s%*s  %s\n", VALUE, "before", VALUE + 1,
		    "after", CHANGE, "change", INTERVAL, "95% interval",
		    heads[s->by]);
	for (size_t i = 0; i < s->n && (s->limit == 0 || i < s->limit); i++)
		put_row(s, &s->rows[i], &b);
	buf_done(&b);
}

void
show_put(struct show *s, enum sort sort, enum format format)
{
	static void (*const formats[])(const struct show *) = {
	    show_text, show_csv, show_json, show_markdown};
	struct winsize w;

	sort_rows(s, sort);
	if (isatty(STDOUT_FILENO)) {
		const char *no = getenv("NO_COLOR");

		s->colour = no == NULL || *no == 0;
		if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0)
			s->width = w.ws_col;
	}
	formats[format](s);
}
