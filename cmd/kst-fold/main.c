/* SPDX-License-Identifier: ISC */
/* kst-fold: counts equal stacks. */
#include <getopt.h>
#include <string.h>

#include "fold.h"
#include "base/bytes.h"
#include "base/in.h"
#include "base/fault.h"
#include "base/msg.h"
#include "base/opt.h"
#include "base/out.h"
#include "base/summary.h"
#include "text/shape.h"
#include "table.h"

static const char help[] =
    "usage: kst-fold [options] [FILE ...]\n"
    "Counts equal stacks of trace text, or adds up folded text.\n"
    "\n"
    "  -c, --cpus SET       only these CPUs: 0x3 (mask), 0-3,8 (list), all\n"
    "      --cpu-mask N     the same as a decimal mask: 3 is CPU 0 and 1\n"
    "  -b, --by WHAT        root frames: cpu, thread, state, process; several\n"
    "                       with commas\n"
    "  -s, --state STATE    only CPUs that are running or halted (all)\n"
    "      --from N         from capture N on, or N seconds: 1.5s\n"
    "      --to N           up to capture N, or N seconds\n"
    "  -t, --mark-truncated put [truncated] below stacks without their root\n"
    "  -l, --leaf-first     write the leaf first\n"
    "      --differential   every line of folded text has two counts\n"
    "      --plain          no line has: a last word of digits is a name's\n"
    "      --shape SHAPE    the input is trace or folded text (auto)\n"
    "  -v, --verbose        say at the end what was counted\n"
    "      --summary-fd N   write it to descriptor N, for programs\n"
    "  -h, --help           print this\n"
    "  -V, --version        print the version\n"
    "\n"
    "Examples:\n"
    "  kst-clean capture.txt | kst-fold --cpus 0x3 --by cpu > cpus.folded\n"
    "  kst-fold monday.folded tuesday.folded > both.folded\n";

struct options {
	struct fold_options fold;
	enum shape shape;
	bool leaf_first, plain, verbose;
};

enum { CPU_MASK = 256, FROM, TO, DIFFERENTIAL, PLAIN, SHAPE, SUMMARY };

static const struct option longs[] = {
    {"cpus", required_argument, NULL, 'c'},
    {"cpu-mask", required_argument, NULL, CPU_MASK},
    {"by", required_argument, NULL, 'b'},
    {"state", required_argument, NULL, 's'},
    {"from", required_argument, NULL, FROM},
    {"to", required_argument, NULL, TO},
    {"mark-truncated", no_argument, NULL, 't'},
    {"leaf-first", no_argument, NULL, 'l'},
    {"differential", no_argument, NULL, DIFFERENTIAL},
    {"plain", no_argument, NULL, PLAIN},
    {"shape", required_argument, NULL, SHAPE},
    {"summary-fd", required_argument, NULL, SUMMARY},
    {"verbose", no_argument, NULL, 'v'},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

/* The words of --by, each once, in their order. */
static void
parse_by(struct fold_options *o, const char *list)
{
	static const char *const words[BY_MAX] = {
	    "cpu", "thread", "state", "process"};

	for (;; list++) {
		size_t n = strcspn(list, ","), i, k;

		for (i = 0; i < BY_MAX; i++)
			if (bytes_is(list, n, words[i]))
				break;
		if (i == BY_MAX)
			msg_die(EXIT_USAGE,
			    "--by: '%s' is not cpu, thread, state or process",
			    msg_text(list, n));
		for (k = 0; k < o->n_by && o->by[k] != i; k++)
			;
		if (k == o->n_by)
			o->by[o->n_by++] = (enum root)i;
		list += n;
		if (*list == 0)
			return;
	}
}

static struct limit
parse_limit(const char *name, const char *s)
{
	struct limit l = {.given = true};
	size_t n = strlen(s);

	if (n > 1 && n < 32 && s[n - 1] == 's') {
		char text[32];

		memcpy(text, s, n - 1);
		text[n - 1] = 0;
		l.seconds = true;
		l.value = opt_seconds(name, text);
	} else {
		l.value = opt_u64(name, s, 1, UINT64_MAX);
	}
	return l;
}

static enum trace_state
parse_state(const char *s)
{
	if (strcmp(s, "running") == 0)
		return STATE_RUNNING;
	if (strcmp(s, "halted") == 0)
		return STATE_HALTED;
	if (strcmp(s, "all") != 0)
		msg_die(EXIT_USAGE,
		    "--state: '%s' is not running, halted or "
		    "all",
		    msg_text(s, strlen(s)));
	return STATE_UNKNOWN;
}

static void
parse_cpus(struct fold_options *o, const char *s, bool decimal)
{
	int bad =
	    decimal ? cpus_parse_decimal(&o->cpus, s) : cpus_parse(&o->cpus, s);

	if (bad)
		msg_die(EXIT_USAGE, "%s: '%s' is no %s",
		    decimal ? "--cpu-mask" : "--cpus", msg_text(s, strlen(s)),
		    decimal ? "decimal mask of 128 bits"
			    : "mask (0x3), list (0-3,8) or 'all'");
}

static void
read_options(struct options *o, int argc, char **argv)
{
	int c;

	while (
	    (c = getopt_long(argc, argv, "c:b:s:tlvhV", longs, NULL)) != -1) {
		switch (c) {
		case 'c':
		case CPU_MASK:
			parse_cpus(&o->fold, optarg, c == CPU_MASK);
			break;
		case 'b':
			parse_by(&o->fold, optarg);
			break;
		case 's':
			o->fold.state = parse_state(optarg);
			break;
		case FROM:
			o->fold.from = parse_limit("--from", optarg);
			break;
		case TO:
			o->fold.to = parse_limit("--to", optarg);
			break;
		case 't':
			o->fold.mark_truncated = true;
			break;
		case 'l':
			o->leaf_first = true;
			break;
		case DIFFERENTIAL:
			o->fold.differential = true;
			break;
		case PLAIN:
			o->plain = true;
			break;
		case SHAPE:
			o->shape = shape_option("--shape", optarg);
			break;
		case SUMMARY:
			summary_open(optarg);
			break;
		case 'v':
			o->verbose = true;
			break;
		case 'h':
			opt_help(help);
		case 'V':
			opt_version();
		default:
			opt_usage();
		}
	}
}

/* What the user asked for and the input did not have. */
static void
say_missing(const struct fold *f)
{
	const struct fold_options *o = f->o;
	struct buf b = BUF_INIT;

	if (f->captures && cpus_missing(&o->cpus, &b))
		msg("CPU %s never appears", buf_str(&b));
	if (f->no_cpu)
		msg("%llu stacks of no CPU were left out",
		    (unsigned long long)f->no_cpu);
	if (f->no_state)
		msg("%llu stacks of unknown state were left out",
		    (unsigned long long)f->no_state);
	if (f->no_time)
		msg("%llu stacks of captures without a time were left out",
		    (unsigned long long)f->no_time);
	if (f->stacks == 0 && f->left_out > 0)
		msg("none of the %llu stacks is asked for",
		    (unsigned long long)f->left_out);
	if (f->folded_lines &&
	    (o->cpus.want || o->n_by || o->state || o->from.given ||
		o->to.given || o->mark_truncated))
		msg("folded text has no CPUs, threads or captures: all of it "
		    "is counted, without root frames");
	buf_done(&b);
}

static void
say_summary(const struct fold *f)
{
	char total[40];
	size_t len = count_text(table_total(f->table), total);

	msg("%llu captures, %llu stacks counted, %llu left out, %llu truncated",
	    (unsigned long long)f->captures, (unsigned long long)f->stacks,
	    (unsigned long long)f->left_out, (unsigned long long)f->truncated);
	msg("%zu different stacks, total %.*s", table_stacks(f->table),
	    (int)len, total);
}

static void
summarize(const struct fold *f, const struct in *in)
{
	summary_in(in);
	summary_count("captures", f->captures);
	summary_count("stacks", f->stacks);
	summary_count("left-out", f->left_out);
	summary_count("truncated", f->truncated);
}

static int
run(struct options *o, char **operands, int n)
{
	struct table *t = table_new();
	struct fold f;
	struct in in;
	bool failed;

	fold_init(&f, &o->fold, t);
	in_init(&in, operands, n);
	while (in_fill(&in, 1)) {
		enum shape shape = o->shape ? o->shape : shape_detect(&in);

		if (shape == SHAPE_FOLDED)
			fold_folded(&f, &in);
		else
			fold_trace(&f, &in);
	}
	if (f.folded_lines && f.captures == 0 && f.one_count_lines == 0 &&
	    !o->plain)
		table_split(t);
	table_write(t, o->leaf_first);
	failed = in_failed(&in) || table_overflows(t);
	if (fault_sum(f.faults, FAULT_MAX) > 0)
		failed = true;
	if (table_overflows(t))
		msg("%llu first counts did not fit 64 bits",
		    (unsigned long long)table_overflows(t));
	say_missing(&f);
	if (o->verbose)
		say_summary(&f);
	summarize(&f, &in);
	in_done(&in);
	fold_done(&f);
	table_free(t);
	return failed ? EXIT_FAILED : EXIT_OK;
}

int
main(int argc, char **argv)
{
	struct options o = {.shape = SHAPE_AUTO};
	int status;

	msg_init(argv[0]);
	read_options(&o, argc, argv);
	status = run(&o, argv + optind, argc - optind);
	if (out_close() != 0)
		status = EXIT_SYSTEM;
	cpus_done(&o.fold.cpus);
	return status;
}
