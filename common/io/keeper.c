/* SPDX-License-Identifier: ISC */
#include "io/keeper.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "io/out.h"
#include "io/whole.h"
#include "rights/pass.h"
#include "rights/rights.h"

/* LAST: NAME of the last file, answered by the exit status, which is errno. */
enum { OPEN, NAME, LAST, END };

struct request {
	uint64_t what, k;
};

/* An exit status for OPEN, errno for NAME. */
struct reply {
	int status, replaces;
};

static int link_fd = -1;
static pid_t keeper;

/* In the process ------------------------------------------------------------
 */

static void
drop(struct whole *w, bool leave)
{
	char *temp = leave ? whole_leave(w) : NULL;

	if (temp)
		msg("the output so far is in %s", msg_str(temp));
	free(temp);
	whole_drop(w);
}

/* Returns an exit status. */
static int
open_file(struct whole *w, const struct out_file *f)
{
	const char *why = whole_refuses(
	    f->path, f->force ? NULL : f->mark, f->inputs, (size_t)f->n_inputs);
	struct stat st;

	if (why == NULL && stat(f->path, &st) == 0 && !S_ISREG(st.st_mode))
		why = "is not a regular file";
	if (why) {
		msg("%s: %s", msg_str(f->path), why);
		return msg_status(EXIT_USAGE);
	}
	if (whole_open(w, f->path) == 0)
		return EXIT_OK;
	msg_errno("%s", msg_str(f->path));
	return EXIT_SYSTEM;
}

static _Noreturn void
serve(int fd, bool (*nth)(void *arg, uint64_t k, struct out_file *f), void *arg)
{
	struct whole w = {.fd = -1};
	struct out_file f = {0};
	struct request q;
	int err = 0;
	ssize_t n;

	while ((n = read(fd, &q, sizeof q)) == (ssize_t)sizeof q ||
	       (n < 0 && errno == EINTR)) {
		struct reply r = {0};

		if (n < 0)
			continue;
		if (q.what == END || q.what == LAST)
			break;
		if (q.what == OPEN) {
			drop(&w, f.leave);
			f = (struct out_file){0};
			r.status =
			    nth(arg, q.k, &f) ? open_file(&w, &f) : EXIT_SYSTEM;
			r.replaces = w.replaces;
		} else if (w.fd >= 0 && whole_close(&w, f.sync) != 0) {
			r.status = errno;
		}
		if (!pass_send(fd, &r, sizeof r, q.what == OPEN ? w.fd : -1))
			break;
	}
	if (n > 0 && q.what == LAST && w.fd >= 0 &&
	    whole_close(&w, f.sync) != 0)
		err = errno;
	drop(&w, f.leave);
	_exit(err);
}

/* The signals that end the program are not its own. */
static void
stand_apart(void)
{
	static const int ignored[] = {
	    SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};

	setsid();
	for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
		signal(ignored[i], SIG_IGN);
}

/* In the program ------------------------------------------------------------
 */

int
keeper_start(bool (*nth)(void *arg, uint64_t k, struct out_file *f), void *arg)
{
	int p[2], err;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p) != 0)
		return -1;
	keeper = fork();
	if (keeper == 0) {
		close(p[1]);
		stand_apart();
		serve(p[0], nth, arg);
	}
	err = errno;
	close(p[0]);
	rights_awaited = keeper;
	if (keeper > 0)
		link_fd = p[1];
	else
		close(p[1]);
	errno = err;
	return keeper > 0 ? 0 : -1;
}

/* Returns false if the process has ended. */
static bool
ask(uint64_t what, uint64_t k)
{
	const struct request q = {what, k};
	void (*on_pipe)(int) = signal(SIGPIPE, SIG_IGN);
	ssize_t n;

	do
		n = write(link_fd, &q, sizeof q);
	while (n < 0 && errno == EINTR);
	signal(SIGPIPE, on_pipe);
	return n == (ssize_t)sizeof q;
}

int
keeper_open(uint64_t k, bool *replaces, int *status)
{
	struct reply r;
	int fd = -1;

	if (!ask(OPEN, k) || !pass_receive(link_fd, &r, sizeof r, &fd)) {
		msg("the process that opens output files has ended");
		*status = EXIT_SYSTEM;
		return -1;
	}
	if (fd < 0 && r.status == EXIT_OK) { /* no descriptor was left for it */
		errno = EMFILE;
		msg_errno("an output file");
		r.status = EXIT_SYSTEM;
	}
	*replaces = r.replaces;
	*status = r.status;
	return fd;
}

/* Waits until it has ended, with its status as of waitpid(). */
static int
reap(void)
{
	int status = 0;

	close(link_fd); /* it ends also when it was not asked to */
	link_fd = -1;
	while (waitpid(keeper, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

int
keeper_name(bool last)
{
	struct reply r;
	ssize_t n = -1;

	if (last && link_fd >= 0) {
		bool asked = ask(LAST, 0);
		int status = reap();

		errno =
		    asked && WIFEXITED(status) ? WEXITSTATUS(status) : EPIPE;
		return errno == 0 ? 0 : -1;
	}
	if (ask(NAME, 0))
		do
			n = read(link_fd, &r, sizeof r);
		while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof r)
		r.status = EPIPE;
	errno = r.status;
	return r.status == 0 ? 0 : -1;
}

void
keeper_end(void)
{
	char answers[64];
	ssize_t n;

	if (link_fd < 0)
		return;
	ask(END, 0);
	do /* until it has ended */
		n = read(link_fd, answers, sizeof answers);
	while (n > 0 || (n < 0 && errno == EINTR));
	reap();
}
