/* SPDX-License-Identifier: ISC */
#include "show.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/msg.h"
#include "io/out.h"
#include "profile/stats.h"
#include "text/quote.h"

static double
share(const struct count *c, const struct rank_group *g)
{
	return count_real(c) / count_real(&g->total);
}

static bool
is_by_self(const struct show *s)
{
	const struct rank_view *v = s->rank->view;

	return v->sort == RANK_SELF && !v->tree;
}

static bool
has_margin(const struct show *s)
{
	return strcmp(s->unit, "samples") == 0;
}

static double
margin(const struct show *s, const struct rank_group *g,
    const struct rank_row *row)
{
	return stats_margin(
	    count_real(is_by_self(s) ? &row->self : &row->total),
	    count_real(&g->total), (double)s->stops);
}

static size_t
rows_of(const struct show *s, const struct rank_group *g)
{
	return s->limit && s->limit < g->n_rows ? s->limit : g->n_rows;
}

static bool
has_root(const struct show *s)
{
	return s->rank->view->by >= 0;
}

static const char *
root_name(const struct show *s, const struct rank_group *g, size_t *len)
{
	return rank_name(s->rank, g->name, len);
}

size_t
show_lines(const struct show *s)
{
	size_t n = 1;

	for (size_t i = 0; i < s->rank->n_groups; i++)
		n += rows_of(s, &s->rank->groups[i]) + has_root(s);
	return n;
}

static void
put_count(const struct count *c, int width)
{
	char text[48];
	int len = (int)count_text(c, text);

	out_printf("%*.*s", width, len, text);
}

/* Columns before the name; on a narrow terminal shares alone. */
enum { USED = 8 + 12 + 9 + 12 + 8 + 2, USED_NARROW = 8 + 9 + 2, ROOM = 20 };

static bool
is_narrow(const struct show *s)
{
	return s->width && s->width < USED + ROOM;
}

static void
put_head(const struct show *s)
{
	const struct rank_view *v = s->rank->view;

	if (is_narrow(s))
		out_printf("%8s%9s", "self%", "total%");
	else
		out_printf("%8s%12s%9s%12s%8s", "self%", "self", "total%",
		    "total", has_margin(s) ? "\302\261%" : "");
	out_printf("  %s%s",
	    v->callers	 ? "caller"
	    : v->callees ? "callee"
			 : "function",
	    s->eol);
}

/* The name, in a tree indented as far as the terminal is wide. */
static void
put_name(const struct show *s, const struct rank_row *row)
{
	size_t used = is_narrow(s) ? USED_NARROW : USED, len;
	size_t indent = 2 * (size_t)row->depth, room = 0;
	const char *name = rank_name(s->rank, row->name, &len);

	if (s->width) {
		room = s->width > used + ROOM ? s->width - used : ROOM;
		indent = indent > room - ROOM ? room - ROOM : indent;
		room -= indent;
	}
	out_printf("%*s", (int)indent + 2, "");
	quote_term(name, len, room);
	if (row->times > 1)
		out_printf(" (%" PRIu32 " times)", row->times);
	out_puts(s->eol);
}

static void
put_row(const struct show *s, const struct rank_group *g,
    const struct rank_row *row)
{
	out_printf("%7.2f%%", 100 * share(&row->self, g));
	if (!is_narrow(s))
		put_count(&row->self, 12);
	out_printf("%8.2f%%", 100 * share(&row->total, g));
	if (!is_narrow(s)) {
		put_count(&row->total, 12);
		if (has_margin(s))
			out_printf("%8.2f", 100 * margin(s, g, row));
		else
			out_printf("%8s", "");
	}
	put_name(s, row);
}

static void
put_group(const struct show *s, const struct rank_group *g)
{
	struct buf b = BUF_INIT;
	size_t len;
	const char *name = root_name(s, g, &len);

	quote_term(name, len, s->width ? s->width / 2 : 0);
	count_commas(&g->total, &b);
	out_printf(": %s %s, %.2f%%%s", buf_str(&b), msg_str(s->unit),
	    100 * count_real(&g->total) / count_real(&s->rank->total), s->eol);
	buf_done(&b);
}

void
show_text(const struct show *s)
{
	const struct rank *r = s->rank;
	size_t line = 1, end = s->lines ? s->skip + s->lines : SIZE_MAX;

	if (s->skip == 0)
		put_head(s);
	for (size_t i = 0; i < r->n_groups; i++) {
		const struct rank_group *g = &r->groups[i];

		if (has_root(s)) {
			if (line >= s->skip && line < end)
				put_group(s, g);
			line++;
		}
		for (size_t k = 0; k < rows_of(s, g); k++, line++)
			if (line >= s->skip && line < end)
				put_row(s, g, &r->rows[g->row + k]);
	}
}

void
show_csv(const struct show *s)
{
	const struct rank *r = s->rank;
	size_t len;
	const char *name;

	out_printf("%s%sname,self,total,self_share,total_share,margin\n",
	    has_root(s) ? "root," : "", r->view->tree ? "depth,times," : "");
	for (size_t i = 0; i < r->n_groups; i++) {
		const struct rank_group *g = &r->groups[i];

		for (size_t k = 0; k < rows_of(s, g); k++) {
			const struct rank_row *row = &r->rows[g->row + k];

			if (has_root(s)) {
				name = root_name(s, g, &len);
				quote_csv(name, len);
				out_putc(',');
			}
			if (r->view->tree)
				out_printf("%" PRIu32 ",%" PRIu32 ",",
				    row->depth, row->times);
			name = rank_name(r, row->name, &len);
			quote_csv(name, len);
			out_putc(',');
			put_count(&row->self, 0);
			out_putc(',');
			put_count(&row->total, 0);
			out_printf(",%.6g,%.6g,", share(&row->self, g),
			    share(&row->total, g));
			if (has_margin(s))
				out_printf("%.4g", margin(s, g, row));
			out_putc('\n');
		}
	}
}

static void
json_row(const struct show *s, const struct rank_group *g,
    const struct rank_row *row)
{
	size_t len;
	const char *name = rank_name(s->rank, row->name, &len);

	out_puts("{\"name\":");
	quote_json(name, len);
	if (s->rank->view->tree)
		out_printf(",\"depth\":%" PRIu32 ",\"times\":%" PRIu32,
		    row->depth, row->times);
	out_puts(",\"self\":");
	put_count(&row->self, 0);
	out_puts(",\"total\":");
	put_count(&row->total, 0);
	out_printf(",\"self_share\":%.6g,\"total_share\":%.6g",
	    share(&row->self, g), share(&row->total, g));
	if (has_margin(s))
		out_printf(",\"margin\":%.4g", margin(s, g, row));
	out_putc('}');
}

void
show_json(const struct show *s)
{
	const struct rank *r = s->rank;
	size_t len;

	out_puts("{\"version\":1,\"unit\":");
	quote_json(s->unit, strlen(s->unit));
	if (s->stops)
		out_printf(",\"captures\":%" PRIu64, s->stops);
	out_puts(",\"total\":");
	put_count(&r->total, 0);
	out_puts(",\n\"groups\":[");
	for (size_t i = 0; i < r->n_groups; i++) {
		const struct rank_group *g = &r->groups[i];

		out_puts(i ? ",\n{" : "\n{");
		if (has_root(s)) {
			const char *name = root_name(s, g, &len);

			out_puts("\"root\":");
			quote_json(name, len);
			out_putc(',');
		}
		out_puts("\"total\":");
		put_count(&g->total, 0);
		out_puts(",\"rows\":[");
		for (size_t k = 0; k < rows_of(s, g); k++) {
			out_puts(k ? ",\n" : "\n");
			json_row(s, g, &r->rows[g->row + k]);
		}
		out_puts("]}");
	}
	out_puts("]}\n");
}
