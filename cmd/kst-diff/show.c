/* SPDX-License-Identifier: ISC */
/* The order of rows; tables as text and Markdown. */
#include "calls/calls.h"
#include "sides/profile.h"
#include "diff.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "base/port.h"
#include "io/out.h"
#include "base/utf8.h"
#include "text/quote.h"

static bool
is_exact(const struct show *s)
{
	return s->m->method == METHOD_EXACT;
}

static double
size_of(const struct show *s, const struct change *c)
{
	if (s->sort == SORT_NAME)
		return 0;
	if (s->sort == SORT_BEFORE)
		return c->before;
	if (s->sort == SORT_AFTER)
		return c->after;
	if (is_exact(s))
		return fabs(c->more);
	if (s->m->kind == KIND_SHARE)
		return fabs(c->change);
	/* a new one has grown without end */
	return c->change > 0 ? fabs(log(c->change)) : INFINITY;
}

static int
compare(const void *va, const void *vb, void *arg)
{
	const struct row *a = va, *b = vb;
	const struct show *s = arg;
	double x, y;

	if (s->code && s->sort == SORT_CHANGE && !a->code != !b->code)
		return a->code ? -1 : 1;
	if (s->sort == SORT_CHANGE &&
	    a->change.significant != b->change.significant)
		return a->change.significant ? -1 : 1;
	if (a->size != b->size)
		return a->size > b->size ? -1 : 1;
	/* a function, and then its callers, which are larger */
	if (s->sort == SORT_CHANGE && is_exact(s)) {
		x = fabs(measure_growth(s->m, &a->change));
		y = fabs(measure_growth(s->m, &b->change));
		if (x != y)
			return x > y ? -1 : 1;
	}
	return profile_compare(s->m->p, a->key[0], b->key[0]);
}

void
show_changed(const struct show *s, size_t *slower, size_t *faster)
{
	double same = s->m->kind == KIND_COST ? 1 : 0;

	*slower = *faster = 0;
	for (size_t i = 0; i < s->n; i++) {
		const struct change *c = &s->rows[i].change;

		if (!c->significant || calls_is_small(s, &s->rows[i]))
			continue;
		*slower += c->change > same;
		*faster += c->change < same;
	}
}

/* The first line of the answer. */
static void
add_sentence(const struct show *s, struct buf *b)
{
	size_t slower, faster;

	show_changed(s, &slower, &faster);
	if (s->m->method == METHOD_NONE)
		buf_adds(b, s->m->why);
	else if (s->m->per_call)
		buf_printf(b,
		    "a call costs more in %zu function%s, less in %zu, as much "
		    "in %zu",
		    slower, slower == 1 ? "" : "s", faster,
		    s->n - slower - faster);
	else
		buf_printf(b,
		    "slower in %zu %s%s, faster in %zu, %zu without a change",
		    slower, show_by[s->by], slower == 1 ? "" : "s", faster,
		    s->n - slower - faster);
	buf_adds(b, "; total ");
	count_commas(profile_total(s->m->p, 0), b);
	buf_adds(b, " and ");
	count_commas(profile_total(s->m->p, 1), b);
	buf_printf(b, " %s", msg_str(s->side[0].unit));
}

static void
add_value(const struct show *s, double v, struct buf *b)
{
	if (s->m->kind == KIND_COST)
		buf_printf(b, "%.4g", v);
	else
		buf_printf(b, "%.2f%%", 100 * v);
}

/* Points of shares; of costs the growth, `+10.0%`. */
static void
add_change(const struct show *s, double v, struct buf *b)
{
	if (!isfinite(v))
		buf_adds(b, "new");
	else if (s->m->kind == KIND_COST)
		buf_printf(b, "%+.1f%%", round(1e3 * (v - 1)) / 10 + 0.0);
	else /* not -0.00 */
		buf_printf(b, "%+.2f", round(1e4 * v) / 100 + 0.0);
}

static void
add_interval(const struct show *s, const struct change *c, struct buf *b)
{
	if (!isfinite(c->high)) {
		buf_addc(b, '-');
		return;
	}
	add_change(s, c->low, b);
	buf_adds(b, " .. ");
	add_change(s, c->high, b);
}

/*
 * A row before its name: the value before and after, `60.00%`, of costs `12.5`;
 * the change; its interval.
 */
enum { CELLS = 4 };

/*
 * Of exact counts: before and after, or their costs; the growth; the
 * difference, with its share of all that there was before.
 */
static void
add_exact(const struct show *s, const struct row *r, struct buf *cells)
{
	const struct change *c = &r->change;
	const double cost[2] = {c->before, c->after};
	const double growth = measure_growth(s->m, c),
		     all = count_real(profile_total(s->m->p, 0));

	for (int i = 0; i < 2; i++)
		if (isnan(cost[i]))
			buf_addc(&cells[i], '-');
		else if (s->m->kind == KIND_COST)
			buf_printf(&cells[i], "%.7g", cost[i]);
		else
			count_commas(r->weight[i], &cells[i]);
	if (!c->significant)
		buf_addc(&cells[2], '=');
	else if (!isfinite(growth))
		buf_adds(&cells[2], "new");
	else
		buf_printf(&cells[2], "%+.3g%%", 100 * growth);
	if (s->m->per_call) {
		count_commas(
		    &profile_call(s->m->p, r->key[0])->calls[0], &cells[3]);
		buf_adds(&cells[3], " ");
		count_commas(
		    &profile_call(s->m->p, r->key[1])->calls[1], &cells[3]);
		return;
	}
	buf_printf(&cells[3], "%+.0f", c->more);
	if (c->more < 0 || c->more > 0)
		buf_printf(&cells[3], " (%+.2g%%)", 100 * c->more / all);
}

static void
add_cells(const struct show *s, const struct row *r, struct buf *cells)
{
	const struct change *c = &r->change;

	for (int i = 0; i < CELLS; i++)
		cells[i].len = 0;
	if (is_exact(s)) {
		add_exact(s, r, cells);
		return;
	}
	add_value(s, c->before, &cells[0]);
	add_value(s, c->after, &cells[1]);
	if (c->significant || s->m->method == METHOD_NONE)
		add_change(s, c->change, &cells[2]);
	else
		buf_addc(&cells[2], '~');
	add_interval(s, c, &cells[3]);
}

/* Of the cells, without and with exact counts. */
static const int WIDTHS[2][CELLS] = {{8, 9, 9, 20}, {16, 16, 12, 21}};
enum { NAME_LEAST = 10 };

/* The columns that the cells and the blanks take. */
static size_t
used(const struct show *s)
{
	const int *w = WIDTHS[is_exact(s)];

	return (size_t)(w[0] + w[1] + w[2] + w[3] + 2);
}

/* If the line would be too long, the name's left goes. */
static void
put_row(const struct show *s, const struct row *r, struct buf *cells)
{
	const struct change *c = &r->change;
	const char *colour = "";
	size_t room = 0;

	if (s->colour && c->significant)
		colour = c->change > (s->m->kind == KIND_COST) ? "\033[31m"
							       : "\033[32m";
	out_puts(colour);
	add_cells(s, r, cells);
	for (int i = 0; i < CELLS; i++)
		out_printf("%*s", WIDTHS[is_exact(s)][i], buf_str(&cells[i]));
	out_puts("  ");
	if (s->width)
		room = s->width > used(s) + NAME_LEAST ? s->width - used(s)
						       : NAME_LEAST;
	cells[0].len = 0;
	show_name(s, r, &cells[0]);
	quote_term(buf_str(&cells[0]), cells[0].len, room);
	out_puts(*colour ? "\033[0m\n" : "\n");
}

static const char *
change_head(const struct show *s)
{
	return is_exact(s) ? "growth" : "change";
}

static const char *
interval_head(const struct show *s)
{
	static char head[32];

	if (s->m->per_call)
		return "calls";
	if (is_exact(s))
		return "difference";
	snprintf(head, sizeof head, "%.3g%% interval", 100 - 100 * s->m->level);
	return head;
}

static void
add_work(const struct show *s, struct buf *b)
{
	size_t only[2];

	if (!measure_same_work(s->m, s->rows, s->n, only))
		buf_printf(b,
		    "the runs did not do the same work: %zu function%s ran "
		    "only before, %zu only after",
		    only[0], only[0] == 1 ? "" : "s", only[1]);
}

/* Lines, each with a newline. */
static void
put_lines(struct buf *b)
{
	char *line, *rest = (char *)buf_str(b);

	while ((line = strsep(&rest, "\n")) != NULL && *line) {
		quote_term(line, strlen(line), 0);
		out_puts("\n");
	}
	b->len = 0;
}

static void
put_text(const struct show *s)
{
	const int *w = WIDTHS[is_exact(s)];
	struct buf cells[CELLS] = {{0}};

	gates_verdict(s->gates, s->m, &cells[0]);
	add_sentence(s, &cells[0]);
	out_printf("%s\n", buf_str(&cells[0]));
	cells[0].len = 0;
	if (s->m->per_call && s->code)
		add_work(s, &cells[0]);
	put_lines(&cells[0]);
	if (s->n)
		out_printf("%*s%*s%*s%*s  %s\n", w[0], "before", w[1], "after",
		    w[2], change_head(s), w[3], interval_head(s),
		    show_by[s->by]);
	for (size_t i = 0; i < s->limit; i++)
		put_row(s, &s->rows[i], cells);
	cells[0].len = 0;
	if (s->m->per_call && s->code)
		calls_end(s, &cells[0]);
	else if (s->code)
		code_rest(s->code,
		    s->m->samples ? CODE_NO_SAMPLE : CODE_NOT_RUN, &cells[0]);
	put_lines(&cells[0]);
	for (int i = 0; i < CELLS; i++)
		buf_done(&cells[i]);
}

/* Text that Markdown and its HTML show as it is, in a cell of a table. */
static void
markdown_text(const char *p, size_t len)
{
	for (size_t i = 0, n; i < len; i += n ? n : 1) {
		n = utf8_len(p + i, len - i);
		if (!utf8_is_shown(p + i, n))
			out_putc('?');
		else if (p[i] == '<')
			out_puts("&lt;");
		else if (p[i] == '&')
			out_puts("&amp;");
		else {
			if (memchr("\\`*_{}[]()#+-.!|~>@", p[i], 19))
				out_putc('\\');
			out_put(p + i, n);
		}
	}
}

static void
put_markdown(const struct show *s)
{
	struct buf b = BUF_INIT, cells[CELLS] = {{0}};
	char *line, *rest;

	gates_verdict(s->gates, s->m, &b);
	rest = (char *)buf_str(&b);
	while ((line = strsep(&rest, "\n")) && *line) {
		out_puts("**");
		markdown_text(line, strlen(line));
		out_puts("**\n\n");
	}
	b.len = 0;
	add_sentence(s, &b);
	markdown_text(b.p, b.len);
	out_printf("\n\n| before | after | %s | %s | %s |\n"
		   "|---:|---:|---:|---:|:---|\n",
	    change_head(s), interval_head(s), show_by[s->by]);
	for (size_t i = 0; i < s->limit; i++) {
		add_cells(s, &s->rows[i], cells);
		for (int k = 0; k < CELLS; k++)
			out_printf("| %s ", buf_str(&cells[k]));
		out_puts("| ");
		b.len = 0;
		show_name(s, &s->rows[i], &b);
		markdown_text(buf_str(&b), b.len);
		out_puts(" |\n");
	}
	if (!is_exact(s))
		out_puts("\n`~`: the difference may be chance.\n");
	for (int k = 0; k < CELLS; k++)
		buf_done(&cells[k]);
	buf_done(&b);
}

void
show_put(struct show *s, enum format format)
{
	static void (*const formats[])(const struct show *) = {
	    put_text, show_csv, show_json, put_markdown};
	struct winsize w;

	if (s->limit == 0 || s->limit > s->n)
		s->limit = s->n;
	for (size_t i = 0; i < s->n; i++)
		s->rows[i].size = size_of(s, &s->rows[i].change);
	port_sort(s->rows, s->n, sizeof *s->rows, compare, s);
	s->colour = out_colour();
	if (isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0)
		s->width = w.ws_col;
	formats[format](s);
}
