/* SPDX-License-Identifier: ISC */
/* kst-diff: compares two profiles. */
#include <string.h>

#include "sides/profile.h"
#include "rounds.h"
#include "base/buf.h"
#include "base/msg.h"
#include "opt/opt.h"
#include "io/out.h"
#include "diff.h"

static int
side_option(void *work, const char *arg, struct buf *err)
{
	if (num_real(arg, strlen(arg), work) == 0 && *(double *)work > 0)
		return 0;
	buf_adds(err, "is not a number above 0");
	return -1;
}

static int
work_option(void *sides, const char *arg, struct buf *err)
{
	double *work = sides;
	const char *comma = strchr(arg, ',');

	if (comma && num_real(arg, (size_t)(comma - arg), work) == 0 &&
	    *work > 0)
		return side_option(&work[1], comma + 1, err);
	buf_adds(err, "is not two numbers such as 1000,1200");
	return -1;
}

static int
files_option(void *files, const char *arg, struct buf *err)
{
	const char *comma = strchr(arg, ',');

	*(const char **)files = arg;
	if (comma && comma > arg && comma[1])
		return 0;
	buf_adds(err, "is not two files such as old,new");
	return -1;
}

static const struct opt rows[] = {{.help = "What is compared"},
    {'b', "by", "WHAT", "compare each function, stack or root",
	OPT_CHOICE(by, PROFILE_KEYS)},
    {0, "self", NULL,
	"compare self weight: that of stacks in which the function is the "
	"leaf",
	OPT_FLAG(self)},
    {0, "total", NULL,
	"compare the weight of functions with their callees (the default)",
	OPT_UNSET(self)},
    {'w', "work", "B,A",
	"compare cost per unit of work: B units were done before, A after",
	OPT_CALL(work, work_option)},
    {0, "per-call", "B,A",
	"compare the self weight of each call: files of the calls, as kst-count "
	"--also writes them",
	OPT_CALL(calls, files_option),
	.conflicts = "by total work work-before work-after folded"},
    {0, "work-before", "N", "units of work that were done before",
	OPT_CALL(work[0], side_option)},
    {0, "work-after", "N", "units of work that were done after",
	OPT_CALL(work[1], side_option)},
    {'e', "elf", "OLD,NEW",
	"the two kernels: show functions whose own code differs first",
	OPT_CALL(elf, files_option)},
    {0, "shape", "SHAPE", "say which shape the input has",
	OPT_CHOICE(shape, SHAPES)},
    {.help = "The gate"},
    {'g', "gate", "LIMIT",
	"fail if a row grows beyond +2% (points), PATTERN=+0.5% or x1.10 (of "
	"cost); may be repeated",
	OPT_CALL(gates, gate_option)},
    {0, "inconclusive", "RESULT",
	"exit status of a gate that needs more samples, instead of 5: "
	"pass is 0, fail is 3",
	OPT_CHOICE(inconclusive, OPEN_RESULTS)},
    {0, "rounds", "FIRST-LAST",
	"judge after each run of AFTER, from FIRST to LAST runs",
	OPT_CALL(rounds, rounds_option)},
    {.help = "The answer"},
    {'n', "rows", "N", "show at most N rows", OPT_NUMBER(limit, 1, UINT32_MAX)},
    {'a', "all", NULL, "show all rows", OPT_FLAG(all)},
    {'s', "sort", "KEY", "sort the rows by this", OPT_CHOICE(sort, SORTS)},
    {0, "csv", NULL, "write comma-separated values",
	OPT_SET(format, FORMAT_CSV)},
    {0, "json", NULL, "JSON", OPT_SET(format, FORMAT_JSON)},
    {0, "markdown", NULL, "write a Markdown table",
	OPT_SET(format, FORMAT_MARKDOWN)},
    {'f', "folded", NULL, "write folded text with two counts, for kst-svg",
	OPT_FLAG(folded)},
    {0, "normalize", NULL,
	"with --folded: scale the counts before to the total after",
	OPT_FLAG(normalize), .requires = "folded"},
    {0, "found-fd", "N", NULL, OPT_NUMBER(found_fd, 1, INT32_MAX)}, {0}};

static const struct opt_page page = {
    .synopsis = "[options] BEFORE AFTER | DIFFERENTIAL",
    .about = "Compares two profiles, files or folders of trace or folded text: "
	     "what became slower or faster, and how sure that is.",
    .rows = rows,
    .examples =
	"kst-diff monday.folded tuesday.folded\n"
	"kst-diff --gate +2% runs-of-monday runs-of-tuesday\n"
	"kst-diff --folded monday.folded tuesday.folded | kst-svg > diff.svg\n"};

static void
check(const struct options *o, int n)
{
	bool before = o->work[0] > 0, after = o->work[1] > 0;

	if (n != 1 && n != 2)
		opt_wrong("give two operands, BEFORE and AFTER, or one "
			  "differential file");
	if (o->elf && (o->by != PROFILE_FUNCTION || o->folded))
		opt_wrong("--elf requires --by function, and excludes "
			  "--folded");
	if (before != after)
		opt_wrong("--work: give the work of both sides");
	for (size_t i = 0; i < o->gates.n; i++) {
		const struct gate *g = &o->gates.v[i];

		if (g->kind == KIND_COST && !before && !o->calls)
			opt_wrong("--gate %s requires --work or --per-call",
			    msg_str(g->text));
		if (o->calls && (g->key || g->kind != KIND_COST))
			opt_wrong("--gate %s: with --per-call a limit is one "
				  "such as x1.01",
			    msg_str(g->text));
	}
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
	return out_end(status);
}
