/* SPDX-License-Identifier: ISC */
/*
 * --base: the command runs twice, as it is and with another kernel in the place
 * of its own, and the two profiles are compared.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/msg.h"
#include "base/port.h"
#include "io/job.h"
#include "swap/swap_run.h"
#include "text/folded.h"
#include "text/trailer.h"
#include "facts/again.h"
#include "flame.h"

enum { LONGEST = 1000 }; /* bytes of a command that is said */
/* From here on the sides' samples are unlike. */
static const double APART = 1.5;

enum { OLD = SWAP_OLD, NEW = SWAP_NEW, SIDES = SWAP_SIDES };

struct base {
	const struct options *o;
	char *const *argv;
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
	if (swap_kernel(&b->swap, side))
		words_addf(w, "--elf=%s", swap_kernel(&b->swap, side));
	for (size_t i = 1; i < o->elf.n; i++)
		words_addf(w, "--elf=%s", o->elf.use[i].arg);
	for (enum step s = 0; s < STEPS; s++) {
		struct words step = {0};

		options_words(&step, o, s);
		for (size_t i = 1; i < step.n && s != STEP_SVG; i++)
			words_add(w, step.v[i]);
		words_done(&step);
	}
	if (side == NEW)
		words_add(w, "--in-base");
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
	swap_words(&b->swap, side, w);
}

/* An option that would end a run; NULL: one was given. */
static const char *
missing_end(const struct options *o)
{
	if (o->until || options_use(o, STEP_CAPTURE, "duration samples") ||
	    options_use(o, STEP_COUNT, "instructions"))
		return NULL;
	return o->exact ? "--instructions 1e9" : "-d 10";
}

/* A pattern that kst-count, which knows none, would not find. */
static bool
is_pattern(const char *text)
{
	return text && strpbrk(text, "\\^$.|?*+()[]{}") != NULL;
}

/* What the serial log is watched for is a line for kst-count. */
static void
add_place(const char *name, const char *text, struct buf *b)
{
	struct words w = {0};

	if (text == NULL)
		return;
	buf_printf(b, " --%s ", name);
	words_quote(words_addf(&w, "line:%s", text), b);
	words_done(&w);
}

/* Where samples do not tell, exact counts do. */
static void
say_count(const struct base *b, const struct swap_found *f)
{
	const struct options *o = b->o;
	const double *x = f->weight;
	const bool none = f->slower + f->faster == 0,
		   timed = options_use(o, STEP_CAPTURE, "duration") != NULL;
	struct buf t = BUF_INIT;

	/* a guest that ends by itself has more samples if it is slower */
	if (o->exact || o->waiting || !again_knows(b->swap.own) ||
	    is_pattern(o->from) || is_pattern(o->until) || x[OLD] <= 0 ||
	    x[NEW] <= 0 ||
	    (!none && !(timed && (x[OLD] > APART * x[NEW] ||
				     x[NEW] > APART * x[OLD]))))
		return;
	words_quote(o->base, &t);
	if (o->with) {
		buf_adds(&t, " --base-command ");
		words_quote(o->with, &t);
	}
	for (size_t i = 0; i < o->elf.n; i++) {
		buf_adds(&t, " -e ");
		words_quote(o->elf.use[i].arg, &t);
	}
	add_place("from", o->from, &t);
	add_place("until", o->until, &t);
	if (o->serial) {
		buf_adds(&t, " --serial ");
		words_quote(o->serial, &t);
	}
	buf_adds(&t, o->until || missing_end(o) ? " --" : " -n 1e9 --");
	for (char *const *a = b->argv; *a; a++) {
		buf_addc(&t, ' ');
		words_quote(*a, &t);
	}
	if (t.len < LONGEST)
		msg("%s: 'kst count --base %s' decides exactly",
		    none ? "no change is significant"
			 : "the runs have unlike numbers of samples",
		    buf_str(&t));
	buf_done(&t);
}

/* The guest's time that a profile's trailer tells, in seconds; 0: none. */
static double
time_of(const char *profile)
{
	struct trailer t = {0};
	struct count all, stopped;
	char end[4096], *line;
	const int fd = open(profile, O_RDONLY | O_CLOEXEC);
	const off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0,
		    at =
			size > (off_t)sizeof end ? size - (off_t)sizeof end : 0;
	const ssize_t n = fd >= 0 ? pread(fd, end, sizeof end, at) : -1;

	if (fd >= 0)
		close(fd);
	line = n > 0 ? memrchr(end, '#', (size_t)n) : NULL;
	if (line == NULL ||
	    !trailer_read(
		&t, line, (size_t)(end + n - line) - (end[n - 1] == '\n')) ||
	    !trailer_count(&t, "seconds", &all))
		return 0;
	return count_real(&all) - (trailer_count(&t, "stopped", &stopped)
					  ? count_real(&stopped)
					  : 0);
}

/* What lies between two lines of the log may have become longer. */
static void
say_times(const struct base *b)
{
	const double before = time_of(b->profile[OLD]),
		     after = time_of(b->profile[NEW]);

	if (b->o->from && b->o->until && before > 0 && after > 0)
		msg("from --from to --until: %.3g s before, %.3g s after",
		    before, after);
}

/* How much more the whole run is; samples say that only of equal times. */
static void
say_total(const struct base *b, const struct swap_found *f)
{
	const double *x = f->weight;
	struct buf t = BUF_INIT;

	if (!b->o->exact)
		say_times(b);
	if (!b->o->exact || x[OLD] <= 0 || x[NEW] <= 0)
		return;
	count_commas(&(struct count){(uint64_t)x[NEW], 0}, &t);
	buf_adds(&t, " instructions, ");
	count_commas(&(struct count){(uint64_t)x[OLD], 0}, &t);
	msg("in all %s before: %+.3g %%", buf_str(&t),
	    100 * (x[NEW] - x[OLD]) / x[OLD]);
	buf_done(&t);
}

/* The verdict and, also if that lacks something, the picture. */
static int
compare(struct base *b)
{
	const struct options *o = b->o;
	struct words w = {0};
	struct swap_found found;
	int status, table;

	words_add(&w, "kst-diff");
	if (again_knows(b->swap.own))
		words_addf(&w, "--elf=%s,%s", b->swap.other, b->swap.own);
	words_add(&w, b->profile[OLD]);
	words_add(&w, b->profile[NEW]);
	table = swap_diff(&w, &found);
	words_add(&w, "kst-diff");
	words_add(&w, "--folded");
	if (!o->exact)
		words_add(&w, "--normalize");
	words_add(&w, b->profile[OLD]);
	words_add(&w, b->profile[NEW]);
	status = swap_run(&w, b->difference);
	options_words(&w, o, STEP_SVG);
	words_addf(&w, "--subject=%s after %s", port_basename(b->swap.own),
	    port_basename(b->swap.other));
	words_addf(&w, "--output=%s", o->output);
	if (o->force)
		words_add(&w, "--force");
	words_add(&w, b->difference);
	if (status == 0)
		status = swap_run(&w, NULL);
	if (status == 0)
		msg("wrote %s", msg_str(o->output));
	words_done(&w);
	say_total(b, &found);
	say_count(b, &found);
	return status ? status : table;
}

static int
work(void *arg)
{
	struct base *b = arg;
	int status = swap_both(&b->swap, missing_end(b->o), run_words, b);

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
	b->swap.with = b->o->with;
	b->swap.lines = b->o->lines;
	swap_find(&b->swap, b->o->elf.n > 0 ? b->o->elf.use[0].arg : NULL);
}

int
base_run(const struct options *o, char *const *argv)
{
	struct base b = {.o = o, .argv = argv};
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
