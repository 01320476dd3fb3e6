/* SPDX-License-Identifier: ISC */
#include "opt/guest.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "io/job.h"
#include "opt/opt.h"
#include "opt/words.h"

bool
guest_open(struct guest *g)
{
	if (pipe2(g->pipe, O_CLOEXEC) == 0 &&
	    dup2(g->pipe[0], STDIN_FILENO) == STDIN_FILENO &&
	    close(g->pipe[0]) == 0)
		return true;
	msg_errno("pipe");
	return false;
}

bool
guest_start(struct guest *g, const struct guest_wish *want)
{
	struct words w = {0};

	words_add(&w, "kst-flame");
	words_add(&w, "--output=-");
	words_add(&w, "--quiet");
	words_addf(&w, "--as=%s", msg_prog);
	for (size_t i = 0; want->more[i]; i++)
		words_add(&w, want->more[i]);
	if (want->remote)
		words_addf(&w, "--remote=%s", want->remote);
	for (size_t i = 0; i < want->elf->n; i++)
		words_addf(&w, "--elf=%s", want->elf->use[i].arg);
	/*
	 * With a screen, Ctrl-C ends this command first. Its standard input is
	 * not ours, or the pipe would stay open when we read no more.
	 */
	g->pid = job_start(&(struct job){.argv = w.v,
	    .in = g->pipe[1],
	    .out = g->pipe[1],
	    .stays = !want->live});
	close(g->pipe[1]);
	words_done(&w);
	return g->pid > 0;
}

static pid_t sampler;

/* Three signals in all end kst-capture at once. A third Ctrl-C ends us. */
static void
hasten(int sig)
{
	kill(sampler, sig);
	kill(sampler, SIGHUP);
}

bool
guest_end(struct guest *g, bool quit)
{
	struct sigaction sa = {.sa_handler = hasten, .sa_flags = SA_RESETHAND};
	int status = 0;
	bool ended;

	if (g->pid <= 0)
		return true;
	ended = waitpid(g->pid, &status, WNOHANG) > 0;
	close(STDIN_FILENO);
	sampler = g->pid;
	if (!ended && quit && sigaction(SIGINT, &sa, NULL) == 0)
		kill(g->pid, SIGTERM);
	while (!ended && waitpid(g->pid, &status, 0) < 0 && errno == EINTR)
		;
	/* by this signal, or by the pipe that nobody reads */
	if (!ended && quit)
		return true;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SYSTEM)
		msg_system();
	if (WIFSIGNALED(status))
		msg("the sampler was ended by signal %d", WTERMSIG(status));
	return status == 0;
}
