/* SPDX-License-Identifier: ISC */
/* The filters after the capture, joined by pipes. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/port.h"
#include "base/xalloc.h"
#include "io/job.h"
#include "trace/length.h"
#include "ending.h"
#include "flame.h"

/* In a pipe. */
enum { PIPE_MAX = 4 };

/* kst-fold reads a pipe, in which it cannot look ahead for the length. */
static void
add_time(const struct plan *p, struct words *fold)
{
	char *text = (char *)(p->text ? p->text : "/dev/null"); /* to try */

	words_addf(fold, "--by=time=%" PRIu64 "ns,cpu,state",
	    length_of_pieces(&text, 1, true));
}

/*
 * What a picture has unless it was asked for otherwise: time, for the strip,
 * CPUs and states, and in its title what was sampled.
 */
static void
add_defaults(const struct plan *p, struct words *fold, struct words *svg)
{
	const struct options *o = p->o;
	const char *of = o->elf.n > 0 ? o->elf.use[0].arg : p->kernel;
	const char *at = of && access(of, F_OK) != 0 ? strrchr(of, '@') : NULL;
	int len = of ? (int)(at ? (size_t)(at - of) : strlen(of)) : 0;

	if (!o->exact && !o->waiting &&
	    !options_use(o, STEP_FOLD, "by order leaf-first") &&
	    !options_use(o, STEP_SVG, "reverse flamechart flame-chart"))
		add_time(p, fold);
	if (of == NULL)
		return;
	of = words_addf(svg, "--elf=%.*s", len, of) + strlen("--elf=");
	if (!options_use(o, STEP_SVG, "subject title"))
		words_addf(svg, "--subject=%s", port_basename(of));
}

/* The commands of a pipe. */
struct steps {
	struct words words[PIPE_MAX];
	size_t n;
};

/*
 * What runs and what waits stand side by side. Threads that sleep all the time
 * would leave no room for others.
 */
static void
add_waiting(const struct options *o, struct words *clean, struct words *fold)
{
	if (!options_use(o, STEP_CAPTURE, "threads"))
		words_add(clean, "--drop=^\\[asleep since the start\\]$");
	/* numbers of threads are others in each run */
	words_add(clean, "--skip=^\\[lock of pid ");
	if (!options_use(o, STEP_FOLD, "by"))
		words_add(fold, "--by=state");
}

/* From event text, to what was open as time went on. */
static struct steps
filters_of_calls(const struct plan *p)
{
	struct steps s = {.n = p->form == FORM_SVG ? 3 : 2};

	words_add(&s.words[0], "kst-span");
	words_add(&s.words[0], "--chart");
	options_words(&s.words[1], p->o, STEP_CLEAN);
	options_words(&s.words[2], p->o, STEP_SVG);
	words_add(&s.words[2], "--flamechart");
	if (!options_use(p->o, STEP_SVG, "countname"))
		words_add(&s.words[2], "--countname=instructions");
	add_defaults(p, NULL, &s.words[2]);
	return s;
}

/* Cleans, with lines if asked for: those that the capture lacks come first. */
static void
add_clean(const struct plan *p, struct steps *s)
{
	struct words *sym = &s->words[s->n], *clean = sym;

	if (p->o->lines && !p->o->exact) {
		words_add(sym, "kst-sym");
		words_add(sym, "--lines");
		if (plan_elf(p, sym) > 0)
			clean = sym + 1;
		else
			words_done(sym);
	}
	options_words(clean, p->o, STEP_CLEAN);
	if (p->o->lines)
		words_add(clean, "--lines");
	s->n = (size_t)(clean + 1 - s->words);
}

static struct steps
filters_of(const struct plan *p)
{
	struct steps s = {0};
	struct words *clean, *fold, *svg;

	if (p->o->traced)
		return filters_of_calls(p);
	add_clean(p, &s);
	fold = &s.words[s.n++];
	clean = fold - 1;
	svg = fold + 1;
	if (p->form == FORM_JSON) {
		words_add(fold, "kst-json");
		words_add(fold, "--to-json");
		return s;
	}
	options_words(fold, p->o, STEP_FOLD);
	if (p->o->waiting)
		add_waiting(p->o, clean, fold);
	if (p->form == FORM_SVG) {
		options_words(svg, p->o, STEP_SVG);
		add_defaults(p, fold, svg);
		s.n++;
	}
	return s;
}

static int
worse(int a, int b)
{
	return a > b ? a : b;
}

/* Starts them, from io->in to io->out, which are closed. Returns how many. */
static size_t
start(struct steps *s, const struct job *io, pid_t *pid)
{
	struct job j = *io;
	size_t n = 0;

	for (; n < s->n; n++) {
		int pipe[2] = {0, io->out};

		if (n + 1 < s->n && pipe2(pipe, O_CLOEXEC) != 0) {
			msg_errno("pipe");
			close(j.in);
			close(io->out);
			break;
		}
		j.argv = s->words[n].v;
		j.out = pipe[1];
		pid[n] = job_start(&j);
		close(j.in);
		close(j.out);
		j.in = pipe[0];
	}
	return n;
}

/*
 * Runs and frees them, from io->in to io->out, which are closed. Returns the
 * worst status; *killed: one was ended by a signal that nobody has sent to us.
 */
static int
run_pipe(struct steps s, const struct job *io, bool *killed)
{
	pid_t pid[PIPE_MAX];
	size_t started = start(&s, io, pid);
	int worst = started < s.n ? EXIT_SYSTEM : 0;

	*killed = false;
	for (size_t i = 0; i < started; i++) {
		int status = job_wait(pid[i]);

		*killed |= WIFSIGNALED(status);
		worst = worse(worst,
		    WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_SYSTEM);
	}
	for (size_t i = 0; i < PIPE_MAX; i++)
		words_done(&s.words[i]);
	*killed &= job_asked() < 2;
	return worst;
}

static int
run_filters(const struct plan *p)
{
	bool killed = true;
	int status = EXIT_SYSTEM;

	/* What has killed a step need not kill it again. */
	for (int tries = 0; killed && tries < 2; tries++) {
		struct job io = {.in = open(p->text, O_RDONLY | O_CLOEXEC)};

		io.out = open(
		    p->drawn, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		if (io.in < 0 || io.out < 0) {
			msg_errno(
			    "%s", msg_str(io.in < 0 ? p->text : p->drawn));
			return EXIT_SYSTEM;
		}
		status = run_pipe(filters_of(p), &io, &killed);
	}
	return status;
}

/*
 * A file that exists stays as it was after a failure; a capture is not lost
 * then. Returns 0, or an exit status after a message.
 */
static int
put_in_place(const struct plan *p, int status, const char *from, const char *to)
{
	struct words w = {0};
	const char *left = words_addf(&w, "%s.kst-%ld", to, (long)getpid());

	if (status != 0 && !p->o->partial && access(to, F_OK) == 0) {
		msg("%s was not replaced", msg_str(to));
		if (from == p->text && rename(from, left) == 0)
			msg("the capture is %s", msg_str(left));
	} else if (rename(from, to) == 0) {
		msg("wrote %s", msg_str(to));
		status = 0;
	} else {
		msg_errno("%s", msg_str(to));
		status = EXIT_SYSTEM;
	}
	words_done(&w);
	return status;
}

int
steps_make(const struct plan *p, int own, bool asked)
{
	int status = EXIT_SYSTEM, kept = 0, made = 0, text = asked ? 0 : own;

	if (own == EXIT_SYSTEM && !asked)
		msg("the capture is incomplete: %s was not replaced",
		    msg_str(p->o->output));
	else if (p->form == FORM_TXT)
		return put_in_place(p, text, p->text, p->o->output);
	else
		status = run_filters(p);
	if (p->o->keep)
		kept = put_in_place(p, text, p->text, p->o->keep);
	if (status <= EXIT_FAILED)
		made = put_in_place(
		    p, worse(text, status), p->drawn, p->o->output);
	return worse(worse(status, kept), made);
}

void
last_show(const struct plan *p, const char *event, const struct buf *line)
{
	struct job io = {.in = open(p->text, O_RDONLY | O_CLOEXEC)};
	off_t at = io.in >= 0 ? ending_last(io.in) : -1;
	struct steps s = {.n = 2};
	bool killed;

	if (line)
		ending_mark(p->text, line);
	if (at < 0 || lseek(io.in, at, SEEK_SET) < 0 ||
	    options_use(p->o, STEP_CAPTURE, "quiet raw")) {
		close(io.in);
		return;
	}
	msg("%s; the last stacks of all CPUs:", event);
	options_words(&s.words[0], p->o, STEP_CLEAN);
	words_add(&s.words[1], "kst-threads");
	words_add(&s.words[1], "--brief");
	words_add(&s.words[1], "--no-threads");
	io.out = dup(STDERR_FILENO);
	run_pipe(s, &io, &killed);
}

char *
steps_output(const struct plan *p, struct words *filter, bool of_last)
{
	struct steps s = {.n = 2, .words[1] = *filter};
	const int out = port_temp_file();
	struct job io = {.in = open(p->text, O_RDONLY | O_CLOEXEC),
	    .out = dup(out),
	    .err = open("/dev/null", O_WRONLY | O_CLOEXEC)};
	char *text = NULL;
	struct stat st;
	bool killed;

	if (of_last)
		lseek(io.in, ending_last(io.in), SEEK_SET);
	options_words(&s.words[0], p->o, STEP_CLEAN);
	if (run_pipe(s, &io, &killed) == 0 && fstat(out, &st) == 0) {
		text = xcalloc(1, (size_t)st.st_size + 1);
		if (pread(out, text, (size_t)st.st_size, 0) != st.st_size)
			*text = 0;
	}
	close(io.err);
	close(out);
	return text;
}

void
steps_said(int fd)
{
	char block[4096];
	ssize_t n;
	off_t at = 0;

	while ((n = pread(fd, block, sizeof block, at)) > 0 &&
	       write(STDERR_FILENO, block, (size_t)n) == n)
		at += n;
}

/* Tries them on nothing; what is missing is not wrong yet. */
static int
try_on_nothing(struct steps s)
{
	int said = port_temp_file(), status;
	struct job io = {.in = open("/dev/null", O_RDONLY | O_CLOEXEC),
	    .out = open("/dev/null", O_WRONLY | O_CLOEXEC),
	    .err = said};
	bool killed;

	if (said < 0 || io.in < 0 || io.out < 0) {
		msg_errno("/dev/null");
		return EXIT_SYSTEM;
	}
	status = run_pipe(s, &io, &killed);
	/* a step that was killed tells nothing */
	if (killed || status < EXIT_USAGE)
		status = 0;
	else
		steps_said(said);
	close(said);
	return status;
}

int
steps_check(const struct plan *p)
{
	struct steps capture = {.n = 1};
	int status;

	options_words(&capture.words[0], p->o, STEP_CAPTURE);
	words_add(&capture.words[0], "--remote=/dev/null/none");
	status = try_on_nothing(capture);
	return status ? status : try_on_nothing(filters_of(p));
}
