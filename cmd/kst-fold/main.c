/* SPDX-License-Identifier: ISC */
/* kst-fold: counts equal stacks. */
#include "fold.h"

#include "names/rx.h"
#include "opt/each.h"
#include "io/in.h"
#include "rights/rights.h"
#include "base/msg.h"
#include "opt/opt.h"
#include "trace/shape.h"
#include "profile/table_write.h"
#include "profile/table.h"

#define ORDERS(X) X(ORDER_NAME, "name") X(ORDER_TIME, "time")

struct options {
	struct fold_options fold;
	enum shape shape;
	enum order { ORDERS(OPT_ID) } order;
	bool leaf_first, plain, no_trailer, verbose;
	struct each each;
};

static const struct opt rows[] = {
    {'c', "cpus", "SET", "count only these CPUs: 0x3 (mask), 0-3,8 (list), all",
	OPT_CALL(fold.cpus, cpus_option)},
    {0, "cpu-mask", "N", "count only the CPUs of this decimal mask",
	OPT_CALL(fold.cpus, cpus_mask_option)},
    {'b', "by", "WHAT",
	"put these in front of each stack as root frames, separated by "
	"commas; time may have a length, time=100ms",
	OPT_CALL(fold, fold_by_option), .words = OPT_WORDS(FOLD_ROOTS)},
    {0, "order", "ORDER",
	"sort lines by name, or write a flame chart in order of time",
	OPT_CHOICE(order, ORDERS)},
    {'s', "state", "STATE",
	"count only CPUs and threads in this state; running is not idle",
	OPT_CHOICE(fold.state, TRACE_STATES)},
    {0, "while", "RE",
	"count only what other CPUs and threads do while one is in a function "
	"that matches",
	OPT_CALL(fold.meanwhile, patterns_option)},
    {0, "from", "N", "begin at capture N, or after N seconds: 1.5s",
	OPT_CALL(fold.from, fold_limit_option)},
    {0, "to", "N", "end at capture N, or after N seconds",
	OPT_CALL(fold.to, fold_limit_option)},
    {'t', "mark-truncated", NULL,
	"put [truncated] below stacks without their root",
	OPT_FLAG(fold.mark_truncated)},
    {0, "merge-unknown", NULL,
	"write ?? for frames without a name, whatever their address",
	OPT_FLAG(fold.merge_unknown)},
    {0, "keep-unknown", NULL,
	"keep frames without a name at the root of gdb's stacks",
	OPT_FLAG(fold.keep_unknown)},
    {'l', "leaf-first", NULL, "write the leaf first", OPT_FLAG(leaf_first)},
    {0, "differential", NULL, "read two counts on every line",
	OPT_FLAG(fold.differential)},
    {0, "plain", NULL, "not differential: names may end in a number",
	OPT_FLAG(plain)},
    {0, "part", NULL, NULL, OPT_FLAG(fold.is_part)},
    {0, "no-trailer", NULL, "leave out the trailer, the last line",
	OPT_FLAG(no_trailer)},
    {0, "shape", "SHAPE", "say which shape the input has",
	OPT_CHOICE(shape, SHAPES)},
    {'v', "verbose", NULL, "report at the end what was counted",
	OPT_FLAG(verbose)},
    EACH_ROWS(each), {0}};

static const struct opt_page page = {.synopsis = "[options] [FILE ...]",
    .about = "Counts equal stacks of trace text, or adds up folded text.",
    .rows = rows,
    .examples =
	"kst-clean capture.txt | kst-fold --cpus 0x3 --by cpu > cpus.folded\n"
	"kst-fold monday.folded tuesday.folded > both.folded\n"};

/*
 * Whether the output is the input with equal lines added up, which needs no
 * table: one file, sorted as its output will be.
 */
static bool
may_stream(const struct options *o, char **operands, int n, uint64_t *size)
{
	const struct fold_options *f = &o->fold;
	bool same_order = o->order == ORDER_NAME && !o->leaf_first;

	return same_order && f->n_by == 0 && !f->merge_unknown &&
	       !f->differential && o->shape != SHAPE_TRACE && n == 1 &&
	       sorted_file(operands, o->plain, size);
}

static int
run(void *options, char **operands, int n)
{
	struct options *o = options;
	struct table *t = table_new();
	struct chart *chart = NULL;
	struct fold f;
	struct in in;
	uint64_t size;
	bool failed;

	fold_set_piece(&o->fold, operands, n);
	fold_init(&f, &o->fold, t);
	in_init(&in, operands, n);
	in.most = each_most();
	if (may_stream(o, operands, n, &size)) {
		f.sorted = true;
		in.most = size;
	}
	if (o->order == ORDER_TIME)
		chart = chart_new(&f);
	failed = !shape_read(&in, o->shape, fold_trace, fold_folded, &f);
	if (f.folded_lines && f.captures == 0 && f.one_count_lines == 0 &&
	    !o->plain)
		table_split(t);
	fold_finish(&f);
	trailer_set(&f.origin.sum, "order", NULL);
	if (chart)
		failed |= !chart_write(chart);
	else
		table_write(t, o->leaf_first);
	if (!o->no_trailer) {
		failures_put(&f.failures);
		origin_put(&f.origin);
	}
	failed |= fold_say_wrong(&f) || in_failed(&in);
	fold_say(&f, &in, o->verbose);
	in_done(&in);
	chart_free(chart);
	fold_done(&f);
	table_free(t);
	return failed ? EXIT_FAILED : EXIT_OK;
}

int
main(int argc, char **argv)
{
	static struct options o = {.shape = SHAPE_AUTO}; /* has patterns */
	struct rights reads = {0};

	msg_init(argv[0]);
	reads.reads = argv + opt_read(&page, &o, argc, argv);
	reads.n_reads = argc - (int)(reads.reads - argv);
	if (o.order == ORDER_TIME)
		chart_options(&o.fold, o.leaf_first);
	return each_run(
	    &o.each, &reads, (char **)reads.reads, reads.n_reads, run, &o);
}
