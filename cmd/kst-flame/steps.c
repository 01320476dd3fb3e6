/* SPDX-License-Identifier: ISC */
/* The filters after the capture, joined by pipes. */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/port.h"
#include "flame.h"
#include "job.h"

enum { PIPE_MAX = 3, WAIT_MS = 10 };

/* The commands of a pipe. */
struct steps {
	struct words words[PIPE_MAX];
	pid_t pid[PIPE_MAX];
	size_t n, started;
};

static void
choose(struct steps *s, const struct plan *p)
{
	*s = (struct steps){.n = p->form == FORM_SVG ? 3 : 2};
	options_words(&s->words[0], p->o, STEP_CLEAN);
	if (p->form == FORM_JSON) {
		words_add(&s->words[1], "kst-json");
		words_add(&s->words[1], "--to-json");
	} else {
		options_words(&s->words[1], p->o, STEP_FOLD);
		options_words(&s->words[2], p->o, STEP_SVG);
	}
}

static int
worse(int a, int b)
{
	return a > b ? a : b;
}

/* Starts them, from io->in to io->out, which are closed. */
static void
start(struct steps *s, const struct job *io)
{
	struct job j = *io;

	while (j.in > 0 && s->started < s->n) {
		int pipe[2] = {0, io->out};

		if (s->started + 1 < s->n && pipe2(pipe, O_CLOEXEC) != 0) {
			msg_errno("pipe");
			break;
		}
		j.argv = s->words[s->started].v;
		j.out = pipe[1];
		s->pid[s->started++] = job_start(&j);
		close(j.in);
		j.in = pipe[0];
		if (j.out != io->out)
			close(j.out);
	}
	if (j.in > 0)
		close(j.in);
	close(io->out);
}

/* Whether a signal asks for the end; a short wait. */
static bool
is_asked(void)
{
	bool asked = false;
	int sig;

	poll(NULL, 0, WAIT_MS);
	while ((sig = guard_signal()))
		asked |= sig != GUARD_GONE;
	return asked;
}

/*
 * Waits for all. Returns the worst status; *killed: one was ended by a signal
 * that nobody has sent to us.
 */
static int
finish(struct steps *s, bool *killed)
{
	int worst = s->started < s->n ? EXIT_SYSTEM : 0;
	bool asked = false;

	*killed = false;
	for (size_t i = 0; i < s->started; i++) {
		int status = 0;

		while (s->pid[i] > 0 && !job_ended(s->pid[i], &status))
			if (is_asked()) {
				asked = true;
				kill(s->pid[i], SIGTERM);
			}
		*killed |= WIFSIGNALED(status);
		if (s->pid[i] <= 0 || !WIFEXITED(status))
			worst = EXIT_SYSTEM;
		else
			worst = worse(worst, WEXITSTATUS(status));
	}
	for (size_t i = 0; i < PIPE_MAX; i++)
		words_done(&s->words[i]);
	*killed &= !asked;
	return worst;
}

/* From `in` to `out`, which are closed. */
static int
run_pipe(const struct plan *p, const struct job *io, bool *killed)
{
	struct steps s;

	choose(&s, p);
	start(&s, io);
	return finish(&s, killed);
}

static int
run_steps(const struct plan *p)
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
		status = run_pipe(p, &io, &killed);
	}
	return status;
}

/* A capture is not lost when it may not have its name. */
static void
leave_capture(const struct plan *p, const char *from, const char *to)
{
	char *left = words_text("%s.kst-%ld", to, (long)getpid());

	if (from == p->text && rename(from, left) == 0)
		msg("the capture is %s", msg_str(left));
	free(left);
}

/*
 * A file that exists stays as it was after a failure. Returns 0, or an exit
 * status after a message.
 */
static int
put_in_place(const struct plan *p, int status, const char *from, const char *to)
{
	if (status != 0 && !p->o->partial && access(to, F_OK) == 0) {
		msg("%s stays as it was", msg_str(to));
		leave_capture(p, from, to);
		return status;
	}
	if (rename(from, to) == 0) {
		msg("wrote %s", msg_str(to));
		return 0;
	}
	msg_errno("%s", msg_str(to));
	return EXIT_SYSTEM;
}

int
steps_make(const struct plan *p, int own, bool asked)
{
	int status = EXIT_SYSTEM, kept = 0, made = 0, text = asked ? 0 : own;

	if (own == EXIT_SYSTEM && !asked)
		msg("the capture is not whole: %s is left as it was",
		    msg_str(p->o->output));
	else if (p->form == FORM_TXT)
		return put_in_place(p, text, p->text, p->o->output);
	else
		status = run_steps(p);
	if (p->o->keep)
		kept = put_in_place(p, text, p->text, p->o->keep);
	if (status <= EXIT_FAILED)
		made = put_in_place(
		    p, worse(text, status), p->drawn, p->o->output);
	return worse(worse(status, kept), made);
}

int
steps_check(const struct plan *p)
{
	int said = port_temp_file();
	struct job io = {.in = open("/dev/null", O_RDONLY | O_CLOEXEC),
	    .out = open("/dev/null", O_WRONLY | O_CLOEXEC),
	    .err = said};
	bool killed;
	int status;

	if (said < 0 || io.in < 0 || io.out < 0) {
		msg_errno("/dev/null");
		return EXIT_SYSTEM;
	}
	status = run_pipe(p, &io, &killed);
	/* That there are no stacks is not wrong yet; a step that was killed
	 * tells nothing. */
	if (killed || status < EXIT_USAGE)
		status = 0;
	else
		job_said(said);
	close(said);
	return status;
}
