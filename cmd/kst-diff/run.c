/* SPDX-License-Identifier: ISC */
#include "calls/calls.h"
#include "rounds.h"
#include "diff.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "text/folded.h"
#include "base/buf.h"
#include "base/msg.h"
#include "io/out.h"
#include "renames.h"
#include "measure.h"
#include "usual.h"
#include "profile/table_write.h"
#include "profile/table.h"
#include "rights/rights.h"
#include "sides/profile.h"
#include "sides/open.h"
#include "sides/side.h"

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
		if (count_real(profile_total(p, i)) <= 0) {
			msg("%s: %s has no weight",
			    msg_str(s[i].name ? s[i].name : s[0].name),
			    i ? "AFTER" : "BEFORE");
			good = false;
		}
	return good;
}

static bool
is_exact(const struct side s[2])
{
	return s[0].exact && s[1].exact;
}

/* How rows are measured; says what that leaves out. */
static void
choose(struct measure *m, const struct side s[2], bool gated)
{
	m->samples = strcmp(s[0].unit, "samples") == 0;
	if (m->p->side[0].n_parts + m->p->side[1].n_parts > 2 &&
	    (s[0].n > 1 || s[1].n > 1)) {
		m->method = METHOD_FILES;
	} else if (s[0].n > 1 || s[1].n > 1) {
		m->method = METHOD_NONE;
		snprintf(m->why, sizeof m->why,
		    "no verdict: only one file of each side could be read");
	} else if (is_exact(s) &&
		   (m->per_call || (s[0].reproducible && s[1].reproducible))) {
		m->method = METHOD_EXACT;
	} else if (!m->samples) {
		m->method = METHOD_NONE;
		snprintf(m->why, sizeof m->why,
		    "no verdict: three runs on each side would show how "
		    "much %s vary",
		    msg_str(s[0].unit));
	} else if (s[0].n_trace && s[1].n_trace) {
		m->method = METHOD_CAPTURES;
		if (m->p->side[0].n_parts < PROFILE_BATCHES ||
		    m->p->side[1].n_parts < PROFILE_BATCHES) {
			m->method = METHOD_NONE;
			snprintf(m->why, sizeof m->why,
			    "too short for a verdict: each side needs "
			    "at least %d captures, or exact counts of "
			    "kst-count(1)",
			    PROFILE_BATCHES);
		}
	} else {
		m->method = METHOD_SAMPLES;
		snprintf(m->why, sizeof m->why,
		    "one folded file does not show how much runs "
		    "differ: give three runs for each side, trace text, or "
		    "exact counts of kst-count(1)");
		if (gated)
			return;
		msg("the intervals assume independent samples; three runs "
		    "for each side would show how much runs differ");
	}
}

/* Rows of a smaller share on both sides matter to nobody. */
static double
least_of(const struct gates *g)
{
	double least = 0.01;

	for (size_t i = 0; i < g->n; i++)
		if (g->v[i].kind == KIND_SHARE && g->v[i].key == 0)
			least = fmin(least, g->v[i].limit / 2);
	return least;
}

/* The level of all tests; 0 after a message. */
static double
level_of(const struct rounds *r, const struct side s[2])
{
	if (r->last == 0)
		return 0.05;
	if (s[1].n < r->first || s[1].n > r->last) {
		msg("--rounds %zu-%zu: AFTER has %zu files", r->first, r->last,
		    s[1].n);
		return 0;
	}
	return rounds_level(r, s[0].n, s[1].n);
}

/* The verdict on standard error, where the answer does not have it. */
static void
say_verdict(const struct show *s)
{
	struct buf b = BUF_INIT;
	char *line, *rest;

	gates_verdict(s->gates, s->m, &b);
	if (s->gates->n == 0 && s->m->method == METHOD_NONE)
		msg("%s", s->m->why);
	rest = (char *)buf_str(&b);
	while ((line = strsep(&rest, "\n")) && *line)
		msg("%s", line);
	buf_done(&b);
}

static int
status_of(const struct gates *g, enum open_result open)
{
	static const int statuses[] = {
	    EXIT_INCONCLUSIVE, EXIT_OK, EXIT_REGRESSION};

	if (g->n_bad)
		return EXIT_REGRESSION;
	return g->n_open ? statuses[open] : EXIT_OK;
}

static void
write_folded(const struct options *o, struct profile *p, const struct side s[2])
{
	struct count total[2] = {{0, 0}, {0, 0}};

	for (uint32_t i = 0; i < table_stacks(p->table); i++)
		for (int k = 0; k < 2; k++)
			count_add(&total[k], table_count(p->table, i, k));
	if (o->normalize && (total[0].whole || total[0].frac))
		table_scale(p->table, &total[0], &total[1]);
	table_write(p->table, false);
	if (strcmp(s[0].unit, "samples") != 0)
		out_printf(FOLDED_TRAILER "unit=%s%s%s\n", s[0].unit,
		    is_exact(s) ? ",exact=1" : "",
		    s[0].reproducible && s[1].reproducible ? ""
							   : ",reproducible=0");
}

/* For the program that has started this one: lines of a key and a value. */
static void
put_found(const struct show *s, int fd)
{
	const struct profile *p = s->m->p;
	struct buf b = BUF_INIT;
	size_t slower, faster, i = 0;

	show_changed(s, &slower, &faster);
	buf_printf(&b, "slower %zu\nfaster %zu\nbefore %.0f\nafter %.0f\n",
	    slower, faster, count_real(profile_total(p, 0)),
	    count_real(profile_total(p, 1)));
	while (i < s->n && !(s->m->per_call && calls_is_dearer(&s->rows[i])))
		i++;
	if (i < s->n) {
		buf_adds(&b, "dearer ");
		profile_name(p, s->rows[i].key[1], &b);
		buf_addc(&b, '\n');
	} else if (s->m->per_call && calls_jumped(s)) {
		buf_printf(&b, "dearer %s\n", calls_jumped(s)->plain);
	}
	if (write(fd, b.p, b.len) != (ssize_t)b.len)
		msg_errno("--found-fd");
	buf_done(&b);
}

/* The answer and the gates; returns the exit status. */
static int
answer(struct options *o, struct profile *p, const struct side s[2],
    struct code *code)
{
	struct measure m = {.p = p,
	    .self = o->self || o->calls,
	    .per_call = o->calls,
	    .kind = o->calls || o->work[0] > 0 ? KIND_COST : KIND_SHARE,
	    .work = {o->work[0], o->work[1]}};
	struct show sh = {.m = &m,
	    .side = s,
	    .gates = &o->gates,
	    .code = o->elf ? code : NULL,
	    .by = o->by,
	    .sort = o->sort,
	    .limit = o->all ? 0 : (size_t)o->limit};

	m.level = level_of(&o->rounds, s);
	if (m.level <= 0)
		return EXIT_FAILED;
	profile_end(p);
	choose(&m, s, o->gates.n > 0);
	m.least = least_of(&o->gates);
	o->gates.code = o->calls && o->elf ? code : NULL;
	gates_judge(&o->gates, &m);
	if (!o->folded) {
		usual_take(&m);
		sh.rows = measure_rows(&m, &sh.n);
		if (o->by == PROFILE_FUNCTION)
			sh.n = measure_renames(&m, sh.rows, sh.n);
		if (o->elf)
			measure_mark(&m, code, sh.rows, sh.n);
		if (o->elf && o->calls && o->format == FORMAT_TEXT)
			sh.n = calls_drop(&m, sh.rows, sh.n);
		show_put(&sh, o->format);
		if (o->found_fd > 0)
			put_found(&sh, (int)o->found_fd);
	}
	if (o->folded || o->format != FORMAT_TEXT)
		say_verdict(&sh);
	free(sh.rows);
	return status_of(&o->gates, o->inconclusive);
}

/* The files of --per-call. Returns -1 after a message. */
static int
find_calls(struct side s[4], const char *files)
{
	const char *comma = strchr(files, ',');
	struct buf first = BUF_INIT;
	int status;

	buf_add(&first, files, (size_t)(comma - files));
	status = side_find(&s[2], buf_str(&first));
	s[2].name = NULL;
	buf_done(&first);
	return status == 0 ? side_find(&s[3], comma + 1) : -1;
}

/* Reads the calls of both sides; false after a message. */
static bool
read_calls(struct side s[4], struct profile *p, const struct side_options *o)
{
	bool good = true;

	for (int i = 0; i < 2; i++) {
		struct side *c = &s[2 + i];

		good &= side_read(c, p, i, o);
		if (c->has_unit && strcmp(c->unit, "calls") != 0) {
			msg("--per-call: %s counts %s, not calls",
			    msg_str(c->files[0]), msg_str(c->unit));
			good = c->has_unit = false;
		}
	}
	return good;
}

int
run(struct options *o, char **operands, int n)
{
	struct side s[4] = {{0}, {.number = 1}, {.number = 2}, {.number = 3}};
	struct profile p;
	struct side_options so = {.shape = o->shape,
	    .by_cpu = o->by == PROFILE_ROOT,
	    .only_fold = o->folded && o->gates.n == 0};
	struct code code = {0};
	int status = EXIT_FAILED;
	const bool known = o->elf == NULL || code_ask(&code, o->elf) == 0;
	bool good = true;

	if (!known) {
		msg("--elf: the code of the two files was not compared, so no "
		    "function is marked as changed");
		o->elf = NULL;
	}
	profile_init(&p, o->by, o->gates.patterns, o->gates.n_patterns);
	if (o->calls)
		profile_want_calls(&p);
	for (int i = 0; i < n; i++)
		good &= side_find(&s[i], operands[i]) == 0;
	if (o->calls)
		good &= find_calls(s, o->calls) == 0;
	good = good && open_begin(s);
	rights_keep(&(struct rights){.also = RIGHTS_RECEIVE});
	so.by_file = s[0].n > 1 || s[1].n > 1;
	if (good && n == 1)
		good = side_read_both(s, &p, &so);
	else if (good)
		for (int i = 0; i < n; i++)
			good &= side_read(&s[i], &p, i, &so);
	if (good && o->calls)
		good = read_calls(s, &p, &so);
	if ((!o->calls || good) && s[0].has_unit && s[1].has_unit &&
	    check_sides(s, &p, so.only_fold)) {
		if (!so.only_fold)
			status = answer(o, &p, s, &code);
		else
			status = EXIT_OK;
		if (o->folded)
			write_folded(o, &p, s);
	}
	for (int i = 0; i < 4; i++)
		side_done(&s[i]);
	profile_done(&p);
	code_done(&code);
	return good && known ? status : EXIT_FAILED;
}
