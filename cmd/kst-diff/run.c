/* SPDX-License-Identifier: ISC */
#include "run.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/msg.h"
#include "base/out.h"
#include "measure.h"
#include "profile/table.h"
#include "side.h"

enum { EXIT_REGRESSION = 3 };

/* Whether the sides can be compared; if not, says why. */
static bool
check_sides(const struct side s[2], const struct profile *p, bool folded)
{
	bool good = !s[0].differential && !s[1].differential;

	if (strcmp(s[0].unit, s[1].unit) != 0) {
		msg("the sides have different units: %s and %s",
		    msg_str(s[0].unit), msg_str(s[1].unit));
		return false;
	}
	for (int i = 0; i < 2 && !folded; i++)
		if (p->side[i].total.whole == 0 && p->side[i].total.frac == 0) {
			msg("%s: nothing was counted %s",
			    msg_str(s[i].name ? s[i].name : s[0].name),
			    i ? "after" : "before");
			good = false;
		}
	return good;
}

/* How rows are measured; says what that leaves out. */
static void
choose(struct measure *m, struct profile *p, const struct side s[2])
{
	m->p = p;
	m->samples = strcmp(s[0].unit, "samples") == 0;
	for (int i = 0; i < 2; i++)
		m->files[i] = s[i].n;
	if (s[0].n >= 3 && s[1].n >= 3) {
		m->method = METHOD_FILES;
	} else if (s[0].n == s[0].n_trace && s[1].n == s[1].n_trace &&
		   measure_blocks(m, p)) {
		m->method = METHOD_CAPTURES;
	} else if (m->samples) {
		m->method = METHOD_SAMPLES;
		msg("the intervals assume independent samples; three files a "
		    "side would show how much runs differ");
	} else {
		m->method = METHOD_NONE;
		msg("no intervals: three files a side would show how much %s "
		    "vary",
		    msg_str(s[0].unit));
	}
}

static void
say_open(const struct show *s, const struct gate *g)
{
	struct buf name = BUF_INIT, needed = BUF_INIT;

	if (g->unknown) {
		msg("gate %s is inconclusive", msg_str(g->text));
		return;
	}
	gate_put_name(g, s->m, g->open, &name);
	gate_put_needed(g, s->m, &needed);
	msg("gate %s is inconclusive: for %s%s%s%s", msg_str(g->text),
	    msg_text(name.p, name.len), needed.len ? " " : "", buf_str(&needed),
	    needed.len ? " would be enough" : "");
	buf_done(&name);
	buf_done(&needed);
}

/* Reports the gates; returns whether they failed. */
static bool
say_gates(const struct show *s, bool open_fails)
{
	const struct gates *g = s->gates;
	struct buf b = BUF_INIT;
	bool failed = g->n_bad > 0;

	for (size_t i = 0; i < g->n_bad; i++) {
		b.len = 0;
		show_violation(s, &g->bad[i], &b);
		msg("regression: %s", buf_str(&b));
	}
	for (size_t i = 0; i < g->n; i++)
		if (gate_is_open(&g->v[i])) {
			say_open(s, &g->v[i]);
			failed |= open_fails;
		}
	buf_done(&b);
	return failed;
}

static void
write_folded(const struct options *o, struct profile *p, const char *unit)
{
	struct count total[2] = {{0, 0}, {0, 0}};

	for (uint32_t i = 0; i < table_stacks(p->table); i++)
		for (int k = 0; k < 2; k++)
			count_add(&total[k], table_count(p->table, i, k));
	if (o->normalize && (total[0].whole || total[0].frac))
		table_scale(p->table, &total[0], &total[1]);
	table_write(p->table, false);
	if (strcmp(unit, "samples") != 0)
		out_printf("# kst unit=%s\n", unit);
}

/* The answer and the gates; returns the exit status. */
static int
answer(struct options *o, struct profile *p, const struct side s[2])
{
	struct measure m = {.self = o->self,
	    .kind = o->work[0] > 0 ? KIND_COST : KIND_SHARE,
	    .work = {o->work[0], o->work[1]}};
	struct show sh = {.m = &m,
	    .side = s,
	    .gates = &o->gates,
	    .by = o->by,
	    .limit = o->all ? 0 : (size_t)o->limit};
	bool failed;

	choose(&m, p, s); /* which may make parts larger */
	profile_index(p);
	gates_judge(&o->gates, &m);
	if (!o->folded) {
		sh.rows = measure_rows(&m, &sh.n);
		show_put(&sh, o->sort, o->format);
	}
	failed = say_gates(&sh, o->inconclusive == OPEN_FAILS);
	free(sh.rows);
	measure_done(&m);
	return failed ? EXIT_REGRESSION : EXIT_OK;
}

int
run(struct options *o, char **operands, int n)
{
	struct side s[2] = {0};
	struct profile p;
	struct side_options so = {.shape = o->shape,
	    .by_cpu = o->by == PROFILE_ROOT,
	    .only_fold = o->folded && o->gates.n == 0};
	int status = EXIT_FAILED;
	bool good = true;

	profile_init(&p, o->by, o->gates.n_marks, gates_marks, &o->gates);
	for (int i = 0; i < n; i++)
		good &= side_find(&s[i], operands[i]) == 0;
	so.by_file = s[0].n >= 3 && s[1].n >= 3;
	if (good && n == 1)
		good = side_read_both(s, &p, &so);
	else if (good)
		for (int i = 0; i < n; i++)
			good &= side_read(&s[i], &p, i, &so);
	if (s[0].has_unit && s[1].has_unit &&
	    check_sides(s, &p, so.only_fold)) {
		if (!so.only_fold)
			status = answer(o, &p, s);
		else
			status = EXIT_OK;
		if (o->folded)
			write_folded(o, &p, s[0].unit);
	}
	for (int i = 0; i < 2; i++)
		side_done(&s[i]);
	profile_done(&p);
	return good ? status : EXIT_FAILED;
}
