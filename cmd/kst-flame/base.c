/* SPDX-License-Identifier: ISC */
/*
 * --base: the command runs twice, as it is and with another kernel in the place
 * of its own, and the two profiles are compared.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/port.h"
#include "io/job.h"
#include "kimage/swap.h"
#include "flame.h"

enum { OLD = SWAP_OLD, NEW = SWAP_NEW, SIDES = SWAP_SIDES };

struct base {
	const struct options *o;
	char *const *argv;
	const char *kernel[SIDES];
	const char *profile[SIDES]; /* files beside the output */
	const char *difference;	    /* a temporary one */
	struct words texts;
	struct swap swap;
};

/* The words of kst-flame for one of the runs. */
static void
run_words(void *base, int side, struct words *w)
{
	struct base *b = base;
	const struct options *o = b->o;

	words_add(w, "kst-flame");
	words_addf(w, "--output=%s", b->profile[side]);
	words_addf(w, "--elf=%s", b->kernel[side]);
	for (size_t i = 1; i < o->elf.n; i++)
		words_addf(w, "--elf=%s", o->elf.use[i].arg);
	for (enum step s = 0; s < STEPS; s++) {
		struct words step = {0};

		options_words(&step, o, s);
		for (size_t i = 1; i < step.n && s != STEP_SVG; i++)
			words_add(w, step.v[i]);
		words_done(&step);
	}
	if (o->exact)
		words_add(w, "--exact");
	if (o->waiting)
		words_add(w, "--waiting");
	if (o->force)
		words_add(w, "--force");
	if (o->from)
		words_addf(w, "--from=%s", o->from);
	if (o->until)
		words_addf(w, "--until=%s", o->until);
	if (o->serial)
		words_addf(w, "--serial=%s", o->serial);
	if (o->qemu_args)
		words_addf(w, "--qemu-args=%s", o->qemu_args);
	words_add(w, "--");
	swap_words(&b->swap, b->kernel[side], w);
}

/* The verdict and, also if that lacks something, the picture. */
static int
compare(struct base *b)
{
	const struct options *o = b->o;
	struct words w = {0};
	int status, table;

	words_add(&w, "kst-diff");
	words_addf(&w, "--elf=%s,%s", b->kernel[OLD], b->kernel[NEW]);
	words_add(&w, b->profile[OLD]);
	words_add(&w, b->profile[NEW]);
	table = swap_run(&w, NULL, false);
	words_add(&w, "kst-diff");
	words_add(&w, "--folded");
	if (!o->exact)
		words_add(&w, "--normalize");
	words_add(&w, b->profile[OLD]);
	words_add(&w, b->profile[NEW]);
	status = swap_run(&w, b->difference, false);
	options_words(&w, o, STEP_SVG);
	words_addf(&w, "--subject=%s after %s", port_basename(b->kernel[NEW]),
	    port_basename(b->kernel[OLD]));
	words_addf(&w, "--output=%s", o->output);
	if (o->force)
		words_add(&w, "--force");
	words_add(&w, b->difference);
	if (status == 0)
		status = swap_run(&w, NULL, false);
	if (status == 0)
		msg("wrote %s", msg_str(o->output));
	words_done(&w);
	return status ? status : table;
}

static int
work(void *arg)
{
	struct base *b = arg;
	int status = swap_both(b->kernel, run_words, b);

	if (status == 0)
		status = compare(b);
	unlink(b->difference);
	job_end_all();
	return status;
}

static void
check(struct base *b)
{
	size_t n = strlen(b->o->output);

	if (b->argv == NULL)
		opt_wrong("--base needs a command after --");
	if (n < 5 || strcmp(b->o->output + n - 4, ".svg") != 0)
		opt_wrong("--base draws a difference: --output must end in "
			  ".svg");
	b->swap.argv = b->argv;
	b->swap.other = b->o->base;
	swap_find(&b->swap, b->o->elf.n > 0 ? b->o->elf.use[0].arg : NULL);
	b->kernel[NEW] = b->swap.own;
}

int
base_run(const struct options *o, char *const *argv)
{
	struct base b = {.o = o, .argv = argv, .kernel[OLD] = o->base};
	int status = EXIT_FAILED;
	size_t n;

	check(&b);
	n = strlen(o->output) - 4;
	b.profile[OLD] =
	    words_addf(&b.texts, "%.*s.before.folded", (int)n, o->output);
	b.profile[NEW] =
	    words_addf(&b.texts, "%.*s.after.folded", (int)n, o->output);
	b.difference =
	    words_addf(&b.texts, "%s.kst-%ld", o->output, (long)getpid());
	if (access(o->base, R_OK) != 0) {
		msg_errno("%s", msg_str(o->base));
	} else {
		status = job_own(work, &b);
		status = WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_SYSTEM;
	}
	words_done(&b.texts);
	swap_done(&b.swap);
	return status;
}
