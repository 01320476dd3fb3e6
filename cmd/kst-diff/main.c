/* SPDX-License-Identifier: ISC */
/* kst-diff: compares two profiles. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/msg.h"
#include "base/opt.h"
#include "base/out.h"
#include "gate.h"
#include "measure.h"
#include "profile/profile.h"
#include "profile/table.h"
#include "show.h"
#include "side.h"

enum { EXIT_REGRESSION = 3 };

struct options {
	enum profile_by by;
	enum sort sort;
	enum format format;
	enum shape shape;
	bool self, all, folded, normalize;
	enum { OPEN_PASSES, OPEN_FAILS } inconclusive;
	uint64_t limit;
	struct work {
		double of[2];
	} work;
	struct gates gates;
};

/* One side's work, a number above 0. */
static int
work_of(double *work, const char *arg, size_t len, struct buf *err)
{
	if (num_real(arg, len, work) == 0 && *work > 0)
		return 0;
	buf_adds(err, "is not how much was done, a number above 0");
	return -1;
}

static int
before_option(void *work, const char *arg, struct buf *err)
{
	return work_of(&((struct work *)work)->of[0], arg, strlen(arg), err);
}

static int
after_option(void *work, const char *arg, struct buf *err)
{
	return work_of(&((struct work *)work)->of[1], arg, strlen(arg), err);
}

static int
work_option(void *work, const char *arg, struct buf *err)
{
	const char *comma = strchr(arg, ',');

	if (comma == NULL) {
		buf_adds(err, "is not two numbers such as 1000,1200");
		return -1;
	}
	if (work_of(&((struct work *)work)->of[0], arg, (size_t)(comma - arg),
		err) != 0)
		return -1;
	return after_option(work, comma + 1, err);
}

static const struct opt rows[] = {{.help = "What is compared"},
    {'b', "by", "WHAT", "what a row is",
	OPT_CHOICE(by, PROFILE_FUNCTION, "function stack root")},
    {0, "self", NULL, "weight of the leaf alone", OPT_FLAG(self)},
    {0, "total", NULL, "weight with callees (the default)", OPT_UNSET(self)},
    {'w', "work", "B,A",
	"how much was done before and after: the answer is cost per unit",
	OPT_CALL(work, work_option)},
    {0, "work-before", "N", "the same of one side",
	OPT_CALL(work, before_option)},
    {0, "work-after", "N", "the same of the other",
	OPT_CALL(work, after_option)},
    {0, "shape", "SHAPE", "the input's shape",
	OPT_CHOICE(shape, SHAPE_AUTO, SHAPE_WORDS)},
    {.help = "The gate"},
    {'g', "gate", "LIMIT",
	"fail if a row grows beyond +2% (points), PATTERN=+0.5% or x1.10 (of "
	"cost); may be given again",
	OPT_CALL(gates, gate_option)},
    {0, "inconclusive", "RESULT", "the result when a gate needs more samples",
	OPT_CHOICE(inconclusive, OPEN_PASSES, "pass fail")},
    {.help = "The answer"},
    {'n', "rows", "N", "show at most N rows", OPT_NUMBER(limit, 1, UINT32_MAX)},
    {'a', "all", NULL, "show all rows", OPT_FLAG(all)},
    {'s', "sort", "KEY", "the order of rows",
	OPT_CHOICE(sort, SORT_CHANGE, "change before after name")},
    {0, "csv", NULL, "comma-separated values", OPT_SET(format, FORMAT_CSV)},
    {0, "json", NULL, "JSON", OPT_SET(format, FORMAT_JSON)},
    {0, "markdown", NULL, "a table for a pull request's comment",
	OPT_SET(format, FORMAT_MARKDOWN)},
    {'f', "folded", NULL, "folded text with two counts, for kst-svg",
	OPT_FLAG(folded)},
    {0, "normalize", NULL,
	"with --folded: scale the counts before to the total after",
	OPT_FLAG(normalize)},
    {0}};

static const struct opt_page page = {
    .synopsis = "[options] BEFORE AFTER | DIFFERENTIAL",
    .about = "Compares two profiles, files or folders of trace or folded text: "
	     "what became slower or faster, and how sure that is.",
    .rows = rows,
    .examples =
	"kst-diff monday.folded tuesday.folded\n"
	"kst-diff --gate +2% monday.folded tuesday.folded\n"
	"kst-diff --folded monday.folded tuesday.folded | kst-svg > diff.svg\n"};

static void
check(const struct options *o, int n)
{
	bool before = o->work.of[0] > 0, after = o->work.of[1] > 0;

	if (n != 1 && n != 2)
		opt_wrong("two operands are needed, or a differential file");
	if (before != after)
		opt_wrong("--work: the work of both sides is needed");
	if (o->normalize && !o->folded)
		opt_wrong("--normalize needs --folded");
	for (size_t i = 0; i < o->gates.n; i++)
		if (o->gates.v[i].kind == KIND_COST && !before)
			opt_wrong("--gate %s needs --work",
			    msg_str(o->gates.v[i].text));
}

/* The answer cannot be trusted, or there is none. */
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

/* How rows are measured; says what that cannot know. */
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
		msg("the intervals take samples for independent; how much runs "
		    "differ, three files a side would tell");
	} else {
		m->method = METHOD_NONE;
		msg("no intervals: how much %s vary, three files a side would "
		    "tell",
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

/* Says what became of the gates; whether they failed. */
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
show(struct show *s, const struct options *o)
{
	static void (*const formats[])(const struct show *) = {
	    show_text, show_csv, show_json, show_markdown};
	struct winsize w;

	show_sort(s, o->sort);
	if (isatty(STDOUT_FILENO)) {
		const char *no = getenv("NO_COLOR");

		s->colour = no == NULL || *no == 0;
		if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0)
			s->width = w.ws_col;
	}
	formats[o->format](s);
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
	    .kind = o->work.of[0] > 0 ? KIND_COST : KIND_SHARE,
	    .work = {o->work.of[0], o->work.of[1]}};
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
		show(&sh, o);
	}
	failed = say_gates(&sh, o->inconclusive == OPEN_FAILS);
	free(sh.rows);
	measure_done(&m);
	return failed ? EXIT_REGRESSION : EXIT_OK;
}

static int
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

int
main(int argc, char **argv)
{
	struct options o = {.limit = 20};
	int first, status;

	msg_init(argv[0]);
	first = opt_read(&page, &o, argc, argv);
	check(&o, argc - first);
	status = run(&o, argv + first, argc - first);
	gates_done(&o.gates);
	return out_close() == 0 ? status : EXIT_SYSTEM;
}
