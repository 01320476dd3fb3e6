/* SPDX-License-Identifier: ISC */
#include "top.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "io/out.h"
#include "names/rx.h"
#include "profile/profile.h"
#include "stats/stats.h"
#include "text/quote.h"

static double
share(const struct count *c, const struct rank_group *g)
{
	return count_real(c) / count_real(&g->total);
}

void
show_stops(struct show *s, const struct fold *f)
{
	struct count c;

	s->stops = f->folded_lines ? 0 : f->captures;
	if (trailer_count(&f->origin.sum, "captures", &c))
		s->stops = c.whole;
}

static bool
has_margin(const struct show *s)
{
	return strcmp(s->unit, "samples") == 0;
}

static double
margin(const struct show *s, const struct count *c, const struct rank_group *g)
{
	return stats_margin(
	    count_real(c), count_real(&g->total), (double)s->stops);
}

static bool
has_root(const struct show *s)
{
	return s->rank->view->by >= 0;
}

size_t
show_lines(const struct show *s)
{
	size_t n = 1;

	for (size_t i = 0; i < s->rank->n_groups; i++)
		n += s->rank->groups[i].n_rows + has_root(s);
	return n;
}

/* Columns of a share, of its margin and count; the least for a name. */
enum { SHARE = 8, MARGIN = 7, COUNT = 12, RATE = 13, ROOM = 20 };

static size_t
used_columns(const struct show *s)
{
	size_t all = 2 * (SHARE + COUNT + (has_margin(s) ? MARGIN : 0)) +
		     (s->millions > 0 ? RATE : 0) + 2;

	/* on a narrow terminal shares alone */
	return s->width && s->width < all + ROOM ? 2 * SHARE + 2 : all;
}

static bool
is_narrow(const struct show *s)
{
	return used_columns(s) == 2 * SHARE + 2;
}

static void
put_heading(const struct show *s, const char *share, const char *count)
{
	out_printf("%*s", SHARE, share);
	if (is_narrow(s))
		return;
	if (has_margin(s))
		out_printf("%*s\302\261%%", MARGIN - 2, "");
	out_printf("%*s", COUNT, count);
}

static void
put_head(const struct show *s)
{
	const struct rank_view *v = s->rank->view;

	put_heading(s, "self%", "self");
	put_heading(s, "total%", "total");
	if (s->millions > 0 && !is_narrow(s))
		out_printf("%*s", RATE, "per million");
	out_printf("  %s%s",
	    v->callers	 ? "caller"
	    : v->callees ? "callee"
	    : v->lines	 ? "line"
			 : "function",
	    s->eol);
}

/* The name, in a tree indented as far as the terminal is wide. */
static void
put_name(const struct show *s, const struct rank_row *row)
{
	size_t used = used_columns(s), len;
	size_t indent = 2 * (size_t)row->depth, room = 0;
	const char *name = rank_name(s->rank, row->name, &len);

	if (s->width) {
		room = s->width > used + ROOM ? s->width - used : ROOM;
		indent = indent > room - ROOM ? room - ROOM : indent;
		room -= indent;
	}
	out_printf("%*s", (int)indent + 2, "");
	if (s->idle) /* grey, violet, orange */
		out_puts(rx_match(s->idle, name, len) == 1   ? "\033[90m"
			 : rx_match(s->user, name, len) == 1 ? "\033[35m"
							     : "\033[33m");
	quote_term(name, len, room);
	if (s->idle)
		out_puts("\033[m");
	if (row->times > 1)
		out_printf(" (%" PRIu32 " times)", row->times);
	out_puts(s->eol);
}

static void
put_weight(
    const struct show *s, const struct count *c, const struct rank_group *g)
{
	char text[48];

	out_printf("%*.2f%%", SHARE - 1, 100 * share(c, g));
	if (is_narrow(s))
		return;
	if (has_margin(s))
		out_printf("%*.2f", MARGIN, 100 * margin(s, c, g));
	out_printf("%*.*s", COUNT, (int)count_text(c, text), text);
}

static void
put_row(const struct show *s, const struct rank_group *g,
    const struct rank_row *row)
{
	put_weight(s, &row->self, g);
	put_weight(s, &row->total, g);
	if (s->millions > 0 && !is_narrow(s))
		out_printf(
		    "%*.4g", RATE, count_real(&row->total) / s->millions);
	put_name(s, row);
}

static void
put_group(const struct show *s, const struct rank_group *g)
{
	struct buf b = BUF_INIT;
	size_t len;
	const char *name = rank_name(s->rank, g->name, &len);

	quote_term(name, len, s->width ? s->width / 2 : 0);
	count_commas(&g->total, &b);
	out_printf(": %s %s, %.2f%%%s", buf_str(&b),
	    has_margin(s) && bytes_is(b.p, b.len, "1") ? "sample"
						       : msg_str(s->unit),
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
		for (size_t k = 0; k < g->n_rows; k++, line++)
			if (line >= s->skip && line < end)
				put_row(s, g, &r->rows[g->row + k]);
	}
}

/* What stands before a value that is not a row's first one. */
static void
put_key(const char *key, const char *rest, bool json)
{
	out_printf(json ? ",\"%s%s\":" : ",", key, rest);
}

static void
put_data(const struct show *s, const struct rank_group *g,
    const struct rank_row *row, bool json)
{
	static const char *const keys[] = {"self", "total"};
	const struct count *of[] = {&row->self, &row->total};
	size_t len;
	const char *name = rank_name(s->rank, g->name, &len);

	if (!json && has_root(s)) {
		quote_csv(name, len);
		out_putc(',');
	}
	if (!json && s->rank->view->tree)
		out_printf("%" PRIu32 ",%" PRIu32 ",", row->depth, row->times);
	name = rank_name(s->rank, row->name, &len);
	out_puts(json ? "{\"name\":" : "");
	(json ? quote_json : quote_csv)(name, len);
	if (json && s->rank->view->tree)
		out_printf(",\"depth\":%" PRIu32 ",\"times\":%" PRIu32,
		    row->depth, row->times);
	for (int i = 0; i < 2; i++) {
		put_key(keys[i], "", json);
		count_put(of[i]);
	}
	for (int i = 0; i < 2; i++) {
		put_key(keys[i], "_share", json);
		out_printf("%.6g", share(of[i], g));
	}
	for (int i = 0; i < 2 && (has_margin(s) || !json); i++) {
		put_key(keys[i], "_margin", json);
		if (has_margin(s))
			out_printf("%.4g", margin(s, of[i], g));
	}
	out_puts(json ? "}" : "\n");
}

void
show_csv(const struct show *s)
{
	const struct rank *r = s->rank;

	out_printf("%s%sname,self,total,self_share,total_share,"
		   "self_margin,total_margin\n",
	    has_root(s) ? "root," : "", r->view->tree ? "depth,times," : "");
	for (size_t i = 0; i < r->n_groups; i++) {
		const struct rank_group *g = &r->groups[i];

		for (size_t k = 0; k < g->n_rows; k++)
			put_data(s, g, &r->rows[g->row + k], false);
	}
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
	count_put(&r->total);
	out_puts(",\n\"groups\":[");
	for (size_t i = 0; i < r->n_groups; i++) {
		const struct rank_group *g = &r->groups[i];

		out_puts(i ? ",\n{" : "\n{");
		if (has_root(s)) {
			const char *name = rank_name(r, g->name, &len);

			out_puts("\"root\":");
			quote_json(name, len);
			out_putc(',');
		}
		out_puts("\"total\":");
		count_put(&g->total);
		out_puts(",\"rows\":[");
		for (size_t k = 0; k < g->n_rows; k++) {
			out_puts(k ? ",\n" : "\n");
			put_data(s, g, &r->rows[g->row + k], true);
		}
		out_puts("]}");
	}
	out_puts("]}\n");
}
