/* SPDX-License-Identifier: ISC */
/* kst-batch: archives of captures through the steps, on all processors. */
#include <inttypes.h>
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "batch.h"
#include "base/msg.h"
#include "base/opt.h"
#include "base/out.h"
#include "pipeline.h"
#include "processors.h"
#include "base/xalloc.h"

static const char help[] =
    "usage: kst-batch [options] -o OUT DIR|FILE ...\n"
    "Folds archives of captures, as many at a time as there are processors.\n"
    "\n"
    "what is done\n"
    "  -o, --output OUT      folder for the results: OUT/.../NAME.folded\n"
    "      --sym OPTIONS     name addresses first, kst-sym's options\n"
    "      --clean OPTIONS   clean the names, kst-clean's options\n"
    "      --fold OPTIONS    kst-fold's options\n"
    "      --svg OPTIONS     draw OUT/.../NAME.svg too, kst-svg's options\n"
    "  -m, --merge FILE      the sum of all captures\n"
    "      --by DIR|REGEX    a sum for each folder, or text of the name, in\n"
    "                        OUT/by/GROUP.folded\n"
    "\n"
    "what is made\n"
    "  -f, --force           all, not only what is out of date\n"
    "  -n, --dry-run         print what would be made, and why\n"
    "  -l, --list            print the state of each capture\n"
    "\n"
    "how it is done\n"
    "  -j, --jobs N          so many at a time [processors]\n"
    "      --block SIZE      take captures apart that are larger [256M]\n"
    "      --hosts FILE      on other machines too: an ssh login on each line,\n"
    "                        [CORES/][USER@]HOST, or : for this machine\n"
    "      --send            the hosts do not share our files: send them\n"
    "      --joblog FILE     append a line for each capture done\n"
    "  -q, --quiet           no summary, no progress\n"
    "  -h, --help            print this\n"
    "  -V, --version         print the version\n"
    "\n"
    "Examples:\n"
    "  kst-batch --clean '--rules asterinas' --svg '' -o out archive/\n"
    "  kst-batch --clean -d --by DIR --merge all.folded -o out archive/\n";

enum { SYM = 256, CLEAN, FOLD, SVG, BY, BLOCK, JOBLOG, HOSTS, SEND, JOB };

static const struct option longs[] = {
    {"output", required_argument, NULL, 'o'},
    {"sym", required_argument, NULL, SYM},
    {"clean", required_argument, NULL, CLEAN},
    {"fold", required_argument, NULL, FOLD},
    {"svg", required_argument, NULL, SVG},
    {"merge", required_argument, NULL, 'm'},
    {"by", required_argument, NULL, BY},
    {"force", no_argument, NULL, 'f'},
    {"dry-run", no_argument, NULL, 'n'},
    {"list", no_argument, NULL, 'l'},
    {"jobs", required_argument, NULL, 'j'},
    {"block", required_argument, NULL, BLOCK},
    {"joblog", required_argument, NULL, JOBLOG},
    {"hosts", required_argument, NULL, HOSTS},
    {"send", no_argument, NULL, SEND},
    {"quiet", no_argument, NULL, 'q'},
    {"job", required_argument, NULL, JOB},
    {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'V'},
    {NULL, 0, NULL, 0},
};

/* A number of bytes: 64k, 256M, 2G. */
static uint64_t
parse_size(const char *name, const char *s)
{
	static const char units[] = "kMGT";
	size_t n = strlen(s);
	const char *u = n > 1 ? strchr(units, s[n - 1]) : NULL;
	char text[24];
	uint64_t v, mul = 1;

	if (u == NULL || n > sizeof text)
		return opt_u64(name, s, 0, INT64_MAX);
	memcpy(text, s, n - 1);
	text[n - 1] = 0;
	for (const char *p = units; p <= u; p++)
		mul *= 1024;
	v = opt_u64(name, text, 0, INT64_MAX / mul);
	return v * mul;
}

static void
add_step(struct options *o, int step, const char *name, const char *text)
{
	if (steps_add(&o->steps, step, text) != 0)
		msg_die(EXIT_USAGE, "%s: a quote is not closed: '%s'", name,
		    msg_str(text));
}

/* The worker: `--job DIR NUMBER [SLOT [PROCESSOR]]`, both counted from 1. */
static _Noreturn void
be_worker(char *dir, int argc, char **argv)
{
	int n = argc - optind;
	uint64_t slot = 0;

	if (n < 1 || n > 3)
		opt_usage();
	text_decode(dir);
	if (n > 1)
		slot = opt_u64("SLOT", argv[optind + 1], 1, 4096);
	if (n > 2)
		processor_keep(opt_u64("PROCESSOR", argv[optind + 2], 1, 4096));
	exit(work(dir, argv[optind], slot));
}

static void
read_options(struct options *o, int argc, char **argv)
{
	int c;

	while (
	    (c = getopt_long(argc, argv, "o:m:fnlj:qhV", longs, NULL)) != -1) {
		switch (c) {
		case 'o':
			o->out = optarg;
			break;
		case SYM:
			add_step(o, STEP_SYM, "--sym", optarg);
			break;
		case CLEAN:
			add_step(o, STEP_CLEAN, "--clean", optarg);
			break;
		case FOLD:
			add_step(o, STEP_FOLD, "--fold", optarg);
			break;
		case SVG:
			add_step(o, STEP_SVG, "--svg", optarg);
			break;
		case 'm':
			o->merge = optarg;
			break;
		case BY:
			o->by = optarg;
			break;
		case 'f':
			o->force = true;
			break;
		case 'n':
			o->dry_run = true;
			break;
		case 'l':
			o->list = true;
			break;
		case 'j':
			o->jobs = opt_u64("--jobs", optarg, 1, 4096);
			break;
		case BLOCK:
			o->block = parse_size("--block", optarg);
			break;
		case JOBLOG:
			o->joblog = optarg;
			break;
		case HOSTS:
			o->hosts = optarg;
			break;
		case SEND:
			o->send = true;
			break;
		case 'q':
			o->quiet = true;
			break;
		case JOB:
			be_worker(optarg, argc, argv);
		case 'h':
			opt_help(help);
		case 'V':
			opt_version();
		default:
			opt_usage();
		}
	}
}

static void
on_signal(int n)
{
	batch_signal = n;
}

static void
open_joblog(struct batch *b)
{
	if (b->o->joblog == NULL || b->o->dry_run || b->o->list)
		return;
	b->joblog = fopen(b->o->joblog, "ae");
	if (b->joblog == NULL)
		msg_die(EXIT_FAILED, "%s: %s", msg_str(b->o->joblog),
		    strerror(errno));
}

/* A sum takes the place of a file, and of nothing else. */
static void
check_merge(const char *path)
{
	struct stat st;

	if (*path == 0 || strcmp(path, "-") == 0 ||
	    (stat(path, &st) == 0 && !S_ISREG(st.st_mode)))
		msg_die(EXIT_USAGE, "--merge: '%s' is no regular file",
		    msg_str(path));
}

static void
check_options(const struct options *o, int operands)
{
	if (o->out == NULL || *o->out == 0)
		msg_die(EXIT_USAGE, "-o OUT is missing; see kst-batch --help");
	if (operands == 0)
		msg_die(EXIT_USAGE, "which captures? see kst-batch --help");
	if (o->send && o->hosts == NULL)
		msg_die(EXIT_USAGE, "--send without --hosts");
	if (o->by)
		sums_check_by(o->by);
	if (o->merge)
		check_merge(o->merge);
	steps_check(&o->steps);
}

static void
watch_signals(void)
{
	struct sigaction sa = {.sa_handler = on_signal};

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
}

int
main(int argc, char **argv)
{
	struct options o = {.block = 256 << 20};
	struct batch b = {.o = &o, .dir = BUF_INIT};
	int status;

	msg_init(argv[0]);
	read_options(&o, argc, argv);
	path_beside();
	if (o.steps.step[STEP_FOLD].n == 0)
		add_step(&o, STEP_FOLD, "--fold", "");
	check_options(&o, argc - optind);
	b.cwd = getcwd(NULL, 0);
	if (b.cwd == NULL)
		msg_die(EXIT_FAILED, "the working folder: %s", strerror(errno));
	snprintf(b.send_dir, sizeof b.send_dir, ".kst-batch-%ld-%" PRIx64,
	    (long)getpid(), (uint64_t)time(NULL));
	b.jobs_wide = o.jobs ? o.jobs : processors();
	b.key = steps_key(&o.steps, false);
	if (o.steps.step[STEP_SVG].n)
		b.svg_key = steps_key(&o.steps, true);
	b.on_terminal = !o.quiet && isatty(STDERR_FILENO);
	open_joblog(&b);
	watch_signals();
	status = batch_run(&b, argv + optind, argc - optind);
	if (b.joblog && fclose(b.joblog) != 0) {
		msg_errno("%s", msg_str(o.joblog));
		status = EXIT_FAILED;
	}
	if (out_close() != 0)
		status = EXIT_FAILED;
	if (batch_signal) {
		signal(batch_signal, SIG_DFL);
		raise(batch_signal);
	}
	items_done(&b.items);
	sums_done(&b.parts);
	sums_done(&b.sums);
	steps_done(&o.steps);
	return status;
}
