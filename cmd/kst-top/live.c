/* SPDX-License-Identifier: ISC */
#include "profile/profile.h"
#include "profile/table.h"
#include "top.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "io/in.h"
#include "base/msg.h"
#include "io/out.h"
#include "names/rx.h"
#include "text/quote.h"

/* Captures a second, of the last second or more; 0: not known yet. */
static double
rate_now(struct live *l)
{
	int64_t now = screen_ms();

	if (now - l->last_time < 900)
		return l->rate;
	if (l->last_time > 0)
		l->rate = 1e3 * (double)(l->fold->captures - l->last_captures) /
			  (double)(now - l->last_time);
	l->last_time = now;
	l->last_captures = l->fold->captures;
	return l->rate;
}

static void
put_head(struct live *l, struct buf *b)
{
	count_commas(&l->rank->table->total, b);
	buf_printf(b, " %s", msg_str(l->show->unit));
	if (l->fold->captures)
		buf_printf(b, " in %" PRIu64 " captures", l->fold->captures);
	if (l->ended)
		buf_adds(b, ", the input has ended");
	else if (rate_now(l) > 0)
		buf_printf(b, ", %.1f a second", l->rate);
}

/* How busy the CPUs were: `running 61.20%, halted 38.80%`. */
static void
put_states(struct live *l, struct buf *b)
{
	/* a tree without rows: no share is 2 */
	struct rank_view v = {.roots = 2, .by = 1, .tree = true, .min = 2};
	struct rank r = {0};

	rank_make(&r, l->rank->table, &v);
	for (size_t i = 0; i < r.n_groups; i++) {
		size_t len;
		const char *name = rank_name(&r, r.groups[i].name, &len);

		buf_adds(b, i ? ", " : "");
		buf_add(b, name, len);
		buf_printf(b, " %.2f%%",
		    100 * count_real(&r.groups[i].total) /
			count_real(&r.total));
	}
	rank_done(&r);
}

/* As put_states(), of folded text; nothing where nothing tells. */
static void
put_idle(struct live *l, struct buf *b)
{
	double share = idle_share(&l->idle, l->rank->table);

	if (share > 0)
		buf_printf(b, "idle %.2f%%", 100 * share);
}

static void
put_line(struct buf *b, size_t columns, const char *eol)
{
	out_put(b->p, b->len < columns ? b->len : columns);
	out_puts(eol);
	b->len = 0;
}

#define WORD(id, word) word,
static const char *const sorts[] = {RANK_SORTS(WORD)};

static void
put_foot(struct live *l, size_t columns)
{
	struct buf b = BUF_INIT;

	if (l->typing) {
		out_putc('/');
		quote_term(l->typed, l->n_typed, columns > 4 ? columns - 2 : 2);
		out_puts("\033[7m \033[0m\033[K");
		return;
	}
	if (*l->wrong)
		buf_adds(&b, l->wrong);
	else
		buf_printf(&b,
		    "%sq quit  s sorted by %s  / filter  arrows scroll",
		    l->filter ? "filtered  " : "", sorts[l->view->sort]);
	put_line(&b, columns, "\033[K");
	buf_done(&b);
}

static void
draw(void *live, size_t columns, size_t lines)
{
	struct live *l = live;
	struct buf b = BUF_INIT;
	size_t all, most, page = lines > 4 ? lines - 4 : 1;

	rank_make(l->rank, l->fold->table, l->view);
	show_stops(l->show, l->fold);
	put_head(l, &b);
	put_line(&b, columns, SCREEN_EOL);
	(l->has_states ? put_states : put_idle)(l, &b);
	put_line(&b, columns, SCREEN_EOL);
	/* of each group the first rows, so that all groups are seen */
	for (size_t i = 0, n = l->rank->n_groups; n > 1 && i < n; i++) {
		most = page / n > 2 ? page / n - 1 : 1;
		if (l->rank->groups[i].n_rows > most)
			l->rank->groups[i].n_rows = most;
	}
	all = show_lines(l->show);
	if (l->skip + page > all)
		l->skip = all > page ? all - page : 0;
	l->show->skip = l->skip;
	l->show->lines = lines > 3 ? lines - 3 : 0;
	l->show->width = columns;
	l->show->eol = SCREEN_EOL;
	if (l->show->lines)
		show_text(l->show);
	put_foot(l, columns);
	buf_done(&b);
}

/* Takes the pattern that was typed; an empty one shows all rows. */
static void
set_filter(struct live *l)
{
	struct buf err = BUF_INIT;
	struct rx *rx = NULL;

	if (l->n_typed && !(rx = rx_new(l->typed, l->n_typed, &err))) {
		snprintf(l->wrong, sizeof l->wrong, "wrong pattern: %s",
		    buf_str(&err));
		buf_done(&err);
		return;
	}
	rx_free(l->filter);
	l->filter = l->view->only = rx;
	l->skip = 0;
}

static void
type(struct live *l, int key)
{
	if (key == '\r' || key == '\n') {
		l->typing = false;
		set_filter(l);
	} else if (key == '\033') {
		l->typing = false;
	} else if (key == 0x7f || key == '\b') {
		l->n_typed -= l->n_typed > 0;
	} else if (key >= ' ' && key < 256 && l->n_typed < sizeof l->typed) {
		l->typed[l->n_typed++] = (char)key;
	}
}

static bool
take_key(void *live, int key)
{
	struct live *l = live;

	*l->wrong = 0;
	if (l->typing) {
		type(l, key);
		return true;
	}
	switch (key) {
	case 'q':
		return false;
	case 's':
		l->view->sort = (l->view->sort + 1) % RANK_SORTS_N;
		break;
	case '/':
		l->typing = true;
		l->n_typed = 0;
		break;
	case SCREEN_UP:
		l->skip -= l->skip > 0;
		break;
	case SCREEN_DOWN:
		l->skip++;
		break;
	default:
		break;
	}
	return true;
}

static bool
wait_for_input(void *live, int fd)
{
	struct live *l = live;

	l->quit |= !l->quit && !screen_wait(&l->screen, fd);
	return !l->quit;
}

bool
live_begin(struct live *l, struct in *in)
{
	l->screen.draw = draw;
	l->screen.key = take_key;
	l->screen.arg = l;
	if (!screen_begin())
		return false;
	in->wait = wait_for_input;
	in->wait_arg = l;
	return true;
}

void
live_end(struct live *l)
{
	l->ended = true;
	wait_for_input(l, -1);
	screen_end();
	rx_free(l->filter);
	idle_done(&l->idle);
	l->view->only = NULL;
}
