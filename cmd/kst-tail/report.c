/* SPDX-License-Identifier: ISC */
#include "report.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "io/out.h"
#include "profile/table.h"
#include "profile/table_write.h"
#include "text/quote.h"

/* Causes with a greater chance are not called causes in messages. */
#define BEYOND_CHANCE 0.05
/* Nor are those with less than this share of a typical call's time: where
 * calls are equal to the instruction, each difference is beyond chance. */
#define LEAST_MORE 0.05

bool
report_enough(
    const struct calls *c, const char *of, const struct slow *slow, bool ok)
{
	if (c->cut)
		msg("calls without an end, left out: %zu", (size_t)c->cut);
	if (c->p->n_tracks == 0) {
		if (ok) /* else the messages about the files say more */
			msg("there are no events, kst-events(5), in the input");
	} else if (c->n == 0)
		msg("no call of '%s' found; 'kst span --summary' lists the "
		    "functions",
		    msg_str(of));
	else if (c->n_slow == 0)
		msg("no call takes longer than %s",
		    slow->kind == SLOW_ABOVE ? "that" : "the median");
	else if (c->n_some == 0)
		msg("no typical calls are left beside %zu slow ones: make "
		    "--slow stricter",
		    c->n_slow);
	if (c->large)
		msg("the calls are large: only the %zu slowest and %zu "
		    "typical ones were kept",
		    c->n_slow, c->n_some);
	return c->n_slow && c->n_some;
}

/* Three digits and a unit. */
static void
add_time(struct buf *b, double ns)
{
	static const struct {
		double one;
		const char *name;
	} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "us"}, {1, "ns"}};
	size_t i = 0;

	while (i < 3 && ns < units[i].one * 0.9995)
		i++;
	ns /= units[i].one;
	buf_printf(b, "%.*f %s",
	    i == 3 || ns >= 99.95 ? 0
	    : ns >= 9.995	  ? 1
				  : 2,
	    ns, units[i].name);
}

/* Frames as in folded text, root first. */
static void
add_stack(struct buf *b, const struct pair *p, uint32_t node)
{
	uint32_t path[PAIR_DEPTH_MAX];
	struct buf plain = BUF_INIT;
	size_t n = 0;

	for (; node != TREE_ROOT; node = p->tree.nodes[node].parent)
		path[n++] = p->tree.nodes[node].name;
	while (n-- > 0) {
		plain.len = 0;
		event_unescape(
		    &plain, p->names[path[n]].p, p->names[path[n]].len);
		folded_add_name(b, plain.p, plain.len);
		if (n)
			buf_addc(b, ';');
	}
	buf_done(&plain);
}

static void
say_calls(const struct calls *c, const struct judged *j)
{
	struct hist *h = (struct hist *)&c->durations;
	struct count n = {c->n, 0};
	struct buf b = BUF_INIT;

	count_commas(&n, &b);
	buf_adds(&b, c->n == 1 ? " call, median " : " calls, median ");
	add_time(&b, (double)hist_at(h, 50));
	buf_adds(&b, ", p99 ");
	add_time(&b, (double)hist_at(h, 99));
	buf_adds(&b, ", worst ");
	add_time(&b, (double)h->max);
	msg("%s", buf_str(&b));
	b.len = 0;
	n.whole = c->n_slow;
	buf_adds(
	    &b, c->n_slow == 1 ? "the slowest call takes " : "the slowest ");
	if (c->n_slow != 1) {
		count_commas(&n, &b);
		buf_adds(&b, " calls take ");
	}
	add_time(&b, j->slow);
	buf_adds(&b,
	    c->n_slow == 1 ? ", a typical one " : " on average, typical ones ");
	add_time(&b, j->typical);
	msg("%s", buf_str(&b));
	buf_done(&b);
}

static void
say_growth(const struct growth *g)
{
	struct buf first = BUF_INIT, last = BUF_INIT;

	if (!g->is)
		return;
	add_time(&first, g->first);
	add_time(&last, g->last);
	msg("%s: the first tenth of the calls takes %s (median), the last "
	    "tenth %s, x%.3g",
	    g->last > g->first ? "grows" : "falls", buf_str(&first),
	    buf_str(&last), g->last / (g->first > 0 ? g->first : 1));
	buf_done(&first);
	buf_done(&last);
}

void
report_say(const struct calls *c, const struct judged *j)
{
	struct buf b = BUF_INIT, stack = BUF_INIT, in = BUF_INIT;
	size_t said = 0;

	say_calls(c, j);
	say_growth(&c->growth);
	for (size_t i = 0; i < j->n_causes && said < 3; i++) {
		const struct cause *k = &j->causes[i];

		if (k->chance > BEYOND_CHANCE ||
		    k->more < LEAST_MORE * j->typical)
			continue;
		b.len = stack.len = in.len = 0;
		add_time(&b, k->more);
		add_stack(&stack, c->p, k->node);
		if (k->calls < c->n_slow)
			buf_printf(&in, " of %zu of these calls", k->calls);
		msg("%s (%.0f %%) of the difference is in %s%s", buf_str(&b),
		    100 * k->more / (j->slow - j->typical),
		    msg_text(stack.p, stack.len), buf_str(&in));
		said++;
	}
	if (said == 0 && j->slow < (1 + LEAST_MORE) * j->typical)
		msg("no call is slow: the slowest take less than %.0f %% "
		    "longer than typical ones",
		    100 * LEAST_MORE);
	else if (said == 0)
		msg("the slow calls spend their time in the same functions as "
		    "typical ones: no stack differs by more than chance");
	buf_done(&b);
	buf_done(&stack);
	buf_done(&in);
}

static void
add_column(struct table *t, const struct pair *p, const double *self, size_t i)
{
	uint32_t *path = xcalloc(PAIR_DEPTH_MAX + 1, sizeof *path);
	struct buf plain = BUF_INIT;

	table_watch(t, i, NULL, NULL);
	for (uint32_t node = 1; node < p->tree.n; node++) {
		struct count ns = {(uint64_t)(self[node] + 0.5), 0};
		size_t at = PAIR_DEPTH_MAX + 1;

		if (ns.whole == 0)
			continue;
		for (uint32_t k = node; k != TREE_ROOT;
		     k = p->tree.nodes[k].parent) {
			const struct name *n = &p->names[p->tree.nodes[k].name];

			plain.len = 0;
			event_unescape(&plain, n->p, n->len);
			path[--at] = table_any_name(t, plain.p, plain.len);
		}
		table_add(t, path + at, PAIR_DEPTH_MAX + 1 - at, &ns);
	}
	buf_done(&plain);
	free(path);
}

void
report_folded(const struct calls *c, const struct judged *j, bool trailer)
{
	struct table *t = table_new();

	add_column(t, c->p, j->self[0], 0);
	add_column(t, c->p, j->self[1], 1);
	table_write(t, false);
	table_free(t);
	if (trailer)
		out_puts(FOLDED_TRAILER "unit=ns\n");
}

void
report_table(const struct calls *c, const struct judged *j, uint64_t most)
{
	struct buf stack = BUF_INIT;

	out_printf("%14s %14s %14s %7s %7s %7s %s\n", "more", "slow", "typical",
	    "share", "calls", "chance", "stack");
	for (size_t i = 0; i < j->n_causes && i < most; i++) {
		const struct cause *k = &j->causes[i];

		stack.len = 0;
		add_stack(&stack, c->p, k->node);
		out_printf("%14.0f %14.0f %14.0f %6.1f%% %7zu %7.3f ", k->more,
		    k->slow, k->typical, 100 * k->more / (j->slow - j->typical),
		    k->calls, k->chance);
		quote_term(stack.p, stack.len, 0);
		out_putc('\n');
	}
	buf_done(&stack);
}

void
report_list(const struct calls *c, uint64_t most)
{
	for (size_t i = 0; i < c->n_slow && i < most; i++) {
		const struct call *k = &c->slow[i];
		const struct track *t = &c->p->tracks[k->track];
		const struct name *n = &c->p->names[k->name];

		out_printf("%" PRIu64 ".%09" PRIu64 "\t", k->start / 1000000000,
		    k->start % 1000000000);
		out_put(t->name, t->name_len);
		out_printf("\t%" PRIu64 ".%09" PRIu64 "\t", k->ns / 1000000000,
		    k->ns % 1000000000);
		out_put(n->p, n->len);
		out_putc('\n');
	}
}
