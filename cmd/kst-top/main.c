/* SPDX-License-Identifier: ISC */
/* kst-top: the functions with the most weight. */
#include "base/msg.h"
#include "opt/opt.h"
#include "io/out.h"
#include "names/rx.h"
#include "pattern/pattern.h"
#include "top.h"

static const struct opt rows[] = {{.help = "A running guest"},
    {'e', "elf", "FILE",
	"sample a running guest with this kernel; programs may follow, as for "
	"kst-capture",
	OPT_LIST(elf)},
    {'r', "remote", "ADDR",
	"sample the guest at this address; by default it is found in the list "
	"of processes",
	OPT_TEXT(remote)},
    {.help = "Which stacks"},
    {0, "focus", "RE", "use only stacks with a function that matches",
	OPT_CALL(view.focus, pattern_option)},
    {0, "ignore", "RE", "use only stacks without a function that matches",
	OPT_CALL(view.ignore, pattern_option)},
    {0, "state", "STATE",
	"use only CPUs and threads in this state, as kst-fold does",
	OPT_CHOICE(state, TRACE_STATES), .conflicts = "elf remote"},
    {0, "while", "RE",
	"only what other CPUs and threads do while one is in a function that "
	"matches",
	OPT_CALL(meanwhile, patterns_option)},
    {0, "shape", "SHAPE", "say which shape the input has",
	OPT_CHOICE(shape, SHAPES)},
    {.help = "What a row is"},
    {0, "callers", "RE", "show the callers of functions that match",
	OPT_CALL(view.callers, pattern_option), .conflicts = "callees"},
    {0, "callees", "RE", "show what functions that match call",
	OPT_CALL(view.callees, pattern_option)},
    {0, "lines", "RE",
	"show the source lines of functions that match, as 'kst sym --lines' "
	"names them",
	OPT_CALL(view.lines, pattern_option),
	.conflicts = "callers callees elf "
		     "remote"},
    {0, "tree", NULL, "show the stacks as a tree of calls, root first",
	OPT_FLAG(view.tree), .conflicts = "lines"},
    {0, "min", "PERCENT", "with --tree: leave out shares below PERCENT",
	OPT_REAL(min, 0, 100), .requires = "tree"},
    {'b', "by", "WHAT", "show a table for each CPU, state or root frame",
	OPT_CHOICE(by, BYS)},
    {.help = "The table"},
    {'s', "sort", "KEY", "sort the rows by this",
	OPT_CHOICE(view.sort, RANK_SORTS)},
    {'n', "rows", "N", "show at most N rows; default for --tree: all",
	OPT_NUMBER(limit, 1, UINT32_MAX), OPT_GIVEN(has_limit)},
    {'a', "all", NULL, "show all rows", OPT_FLAG(all)},
    {0, "csv", NULL, "write comma-separated values",
	OPT_SET(format, FORMAT_CSV)},
    {0, "json", NULL, "JSON", OPT_SET(format, FORMAT_JSON)}, {0}};

static const struct opt_page page = {.synopsis = "[options] [FILE ...]",
    .about =
	"Shows the functions with the most weight in trace or folded text, "
	"or in a running guest. On a terminal it updates the table while it "
	"reads.",
    .rows = rows,
    .examples = "kst-top -e kernel.elf\n"
		"kst-top --sort total week.folded\n"
		"kst-top --while acquire capture.txt\n"
		"kst-top --callers '^spin_lock' --by cpu capture.txt\n"};

static void
check(struct options *o)
{
	struct rank_view *v = &o->view;

	if (v->tree && (v->callers || v->callees))
		opt_wrong("--tree and --%s are mutually exclusive: for a tree "
			  "of the stacks with such functions, give --focus RE "
			  "--tree",
		    v->callers ? "callers" : "callees");
	v->middle = v->callers	 ? v->callers
		    : v->callees ? v->callees
				 : v->lines;
	v->min = o->min / 100;
	v->by = o->by ? 0 : -1;
	v->roots = o->by ? 1 : 0;
	if (o->all || (v->tree && !o->has_limit))
		o->limit = 0;
}

int
main(int argc, char **argv)
{
	struct options o = {.limit = 20, .min = 1};
	int first, status;

	msg_init(argv[0]);
	first = opt_read(&page, &o, argc, argv);
	if ((o.elf.n || o.remote) && first < argc)
		opt_wrong(
		    "--elf and --remote sample a guest, and exclude files "
		    "to read");
	check(&o);
	status = run(&o, argv + first, argc - first);
	opt_list_done(&o.elf);
	patterns_done(&o.meanwhile);
	rx_free(o.view.focus);
	rx_free(o.view.ignore);
	rx_free(o.view.callers);
	rx_free(o.view.callees);
	rx_free(o.view.lines);
	return out_end(status);
}
