/* SPDX-License-Identifier: ISC */
/* kst-batch: archives of captures through the steps, on all processors. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/port.h"
#include "opt/opt.h"
#include "io/job.h"
#include "io/out.h"
#include "batch.h"

#define SUMS(X) X(SUM_FOLDERS, "DIR")
enum { SUM_NONE, SUMS(OPT_ID) };

static const struct opt rows[] = {{.help = "What is done"},
    {'o', "output", "OUT", "write OUT/.../NAME.folded for each capture",
	OPT_TEXT(out)},
    {0, "sym", "[OPTIONS]", "name addresses first, with options of kst-sym",
	OPT_LIST(step_options)},
    {0, "clean", "[OPTIONS]", "clean the names, with options of kst-clean",
	OPT_LIST(step_options)},
    {0, "fold", "[OPTIONS]", "fold with options of kst-fold",
	OPT_LIST(step_options)},
    {0, "svg", "[OPTIONS]", "draw NAME.svg, too, with options of kst-svg",
	OPT_LIST(step_options)},
    {'m', "merge", "FILE", "write the sum of all captures", OPT_TEXT(merge)},
    {0, "by", "DIR", "write a sum for each folder to OUT/by/FOLDER.folded",
	OPT_CHOICE(by, SUMS)},
    {.help = "What is made"},
    {'f', "force", NULL, "make everything again", OPT_FLAG(force)},
    {'n', "dry-run", NULL, "print what would be made, and why",
	OPT_FLAG(dry_run)},
    {'l', "list", NULL, "print the state of each capture", OPT_FLAG(list)},
    {.help = "How it is done"},
    {'j', "jobs", "N", "process N captures at once [one per processor]",
	OPT_NUMBER(jobs, 1, 4096)},
    {0, "block", "SIZE", "split captures that are larger than SIZE",
	OPT_SIZE(block, 0, INT64_MAX)},
    {0, "hosts", "FILE",
	"run on these machines: lines of [CORES/][USER@]HOST, or : (this one)",
	OPT_TEXT(hosts)},
    {0, "send", NULL, "send the captures to hosts that lack our files",
	OPT_FLAG(send), .requires = "hosts work"},
    {0, "joblog", "FILE", "log the jobs in FILE, as GNU parallel does",
	OPT_TEXT(joblog), .requires = "hosts"},
    {0, "work", "JOB", NULL, OPT_TEXT(work)},
    {'q', "quiet", NULL, "print no progress or summary", OPT_FLAG(quiet)}, {0}};

static const struct opt_page page = {
    .synopsis = "[options] -o OUT DIR|FILE ...",
    .about = "Folds archives of captures on all processors.",
    .rows = rows,
    .examples =
	"kst-batch --clean='--rules asterinas' --svg -o out archive/\n"
	"kst-batch --clean=-d --by DIR -m all.folded -o out archive/\n"};

/* kst-fold always runs. */
static void
add_steps(struct options *o)
{
	const struct opt_list *l = &o->step_options;

	steps_add(o->steps, "fold", "");
	for (size_t i = 0; i < l->n; i++)
		if (steps_add(o->steps, l->use[i].name, l->use[i].arg) != 0)
			opt_wrong("--%s: a quote is not closed: '%s'",
			    l->use[i].name, msg_str(l->use[i].arg));
}

static void
check_options(const struct options *o, int operands)
{
	struct stat st;

	if (o->work)
		return;
	if (o->out == NULL || *o->out == 0)
		opt_wrong("-o OUT is missing");
	if (operands == 0)
		opt_wrong("no captures: name files or folders");
	if (o->merge && (*o->merge == 0 || strcmp(o->merge, "-") == 0 ||
			    (stat(o->merge, &st) == 0 && !S_ISREG(st.st_mode))))
		opt_wrong(
		    "--merge: '%s' is not a regular file", msg_str(o->merge));
	if (o->joblog && !batch_is_log(o->joblog))
		opt_wrong("--joblog: '%s' is another kind of file",
		    msg_str(o->joblog));
	for (int i = 0; i < STEPS; i++)
		steps_check(&o->steps[i]);
}

struct run {
	struct batch *b;
	char **operands;
};

static int
work(void *arg)
{
	struct run *r = arg;
	int status = batch_run(r->b, r->operands);

	if (out_close() != 0)
		status = EXIT_SYSTEM;
	return msg_status(status);
}

int
main(int argc, char **argv)
{
	struct options o = {.block = 64 << 20};
	struct batch b = {.o = &o, .begin = batch_now()};
	struct run run = {.b = &b};
	int status;

	msg_init(argv[0]);
	steps_path();
	argv += opt_read(&page, &o, argc, argv);
	add_steps(&o);
	check_options(&o, *argv != NULL);
	b.cwd = getcwd(NULL, 0);
	if (b.cwd == NULL)
		msg_die(
		    EXIT_SYSTEM, "the current directory: %s", strerror(errno));
	b.bar = !o.quiet && isatty(STDERR_FILENO);
	b.workers = o.jobs ? o.jobs : port_processors();
	b.key = steps_key(o.steps, STEP_SVG);
	if (o.steps[STEP_SVG].n)
		b.svg_key = steps_key(o.steps, STEPS);
	if (o.hosts)
		hosts_read(&b);
	run.operands = argv;
	status = job_own(work, &run);
	if (WIFSIGNALED(status))
		msg("a process of kst-batch was ended by signal %d; its "
		    "results stay",
		    WTERMSIG(status));
	status = WIFSIGNALED(status) ? EXIT_SYSTEM : WEXITSTATUS(status);
	batch_done(&b);
	for (int i = 0; i < STEPS; i++)
		words_done(&o.steps[i]);
	opt_list_done(&o.step_options);
	return msg_status(status);
}
