/* SPDX-License-Identifier: ISC */
/* The only file that starts the filters. */
#include "pipeline.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xalloc.h"

enum { READ_SIZE = 64 << 10, TAIL_MAX = 500 };

void
pipeline_add(
    struct pipeline *p, const struct words *w, const char *const *extra)
{
	struct stage *s = &p->stage[p->n++];
	size_t n = 0;

	memset(s, 0, sizeof *s);
	s->err_fd = -1;
	while (extra && extra[n])
		n++;
	s->argv = xcalloc(w->n + n + 1, sizeof *s->argv);
	s->argv[0] = w->v[0];
	for (size_t i = 0; i < n; i++)
		s->argv[1 + i] = (char *)extra[i];
	for (size_t i = 1; i < w->n; i++)
		s->argv[n + i] = w->v[i];
}

static int
spawn(struct stage *s, int in, int out, int err)
{
	extern char **environ;
	posix_spawn_file_actions_t fa;
	posix_spawnattr_t at;
	sigset_t set;
	int e;

	sigemptyset(&set);
	posix_spawnattr_init(&at);
	posix_spawnattr_setsigmask(&at, &set);
	sigaddset(&set, SIGPIPE);
	posix_spawnattr_setsigdefault(&at, &set);
	posix_spawnattr_setflags(
	    &at, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, in, 0);
	posix_spawn_file_actions_adddup2(&fa, out, 1);
	posix_spawn_file_actions_adddup2(&fa, err, 2);
	e = posix_spawnp(&s->pid, s->argv[0], &fa, &at, s->argv, environ);
	posix_spawn_file_actions_destroy(&fa);
	posix_spawnattr_destroy(&at);
	errno = e;
	return e ? -1 : 0;
}

void
path_beside(void)
{
	struct buf b = BUF_INIT;
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

	if (n <= 0)
		return;
	exe[n] = 0;
	*strrchr(exe, '/') = 0;
	buf_printf(&b, "%s:%s", exe, getenv("PATH") ? getenv("PATH") : "");
	setenv("PATH", buf_str(&b), 1);
	buf_done(&b);
}

int
pipeline_start(struct pipeline *p, int in_fd)
{
	for (size_t i = 0; i < p->n; i++) {
		struct stage *s = &p->stage[i];
		int out[2] = {-1, -1}, err[2] = {-1, -1}, bad, e;

		bad = pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0;
		if (!bad) {
			bad = spawn(s, in_fd, out[1], err[1]) != 0;
		}
		e = errno;
		if (in_fd >= 0)
			close(in_fd);
		if (out[1] >= 0)
			close(out[1]);
		if (err[1] >= 0)
			close(err[1]);
		in_fd = out[0];
		s->err_fd = err[0];
		if (bad) {
			s->pid = 0;
			if (in_fd >= 0)
				close(in_fd);
			errno = e;
			return -1;
		}
	}
	return in_fd;
}

/* Keeps the first messages, and the last ones. */
static void
keep(struct stage *s, const char *p, size_t n)
{
	size_t room = s->err.len < ERR_MAX ? ERR_MAX - s->err.len : 0;

	buf_add(&s->err, p, n < room ? n : room);
	buf_add(&s->tail, p, n);
	if (s->tail.len > TAIL_MAX) {
		memmove(
		    s->tail.p, s->tail.p + s->tail.len - TAIL_MAX, TAIL_MAX);
		s->tail.len = TAIL_MAX;
	}
}

static void
wait_all(struct pipeline *p)
{
	for (size_t i = 0; i < p->n; i++) {
		struct stage *s = &p->stage[i];

		while (s->pid > 0 && waitpid(s->pid, &s->status, 0) < 0)
			if (errno != EINTR)
				break;
		s->pid = 0;
	}
}

int
pipeline_drain(struct pipeline *p, int out_fd, pipeline_put *put, void *arg)
{
	struct pollfd fds[STAGES_MAX + 1];
	char *block = xmalloc(READ_SIZE);
	size_t open_fds = p->n + 1;
	int status = 0, e = 0;

	fds[p->n] = (struct pollfd){.fd = out_fd, .events = POLLIN};
	for (size_t i = 0; i < p->n; i++)
		fds[i] =
		    (struct pollfd){.fd = p->stage[i].err_fd, .events = POLLIN};
	while (open_fds > 0) {
		if (poll(fds, p->n + 1, -1) < 0 && errno != EINTR)
			break;
		for (size_t i = 0; i <= p->n; i++) {
			ssize_t n;

			if (fds[i].fd < 0 || fds[i].revents == 0)
				continue;
			n = read(fds[i].fd, block, READ_SIZE);
			if (n < 0 && errno == EINTR)
				continue;
			if (n > 0 && i < p->n)
				keep(&p->stage[i], block, (size_t)n);
			else if (n > 0 && put(arg, block, (size_t)n) == 0)
				continue;
			else if (n > 0) {
				status = -1;
				e = errno;
			}
			if (n <= 0 || (i == p->n && status != 0)) {
				close(fds[i].fd);
				fds[i].fd = -1;
				open_fds--;
			}
		}
	}
	for (size_t i = 0; i < p->n; i++)
		p->stage[i].err_fd = -1;
	free(block);
	wait_all(p);
	errno = e;
	return status;
}

int
pipeline_run(struct pipeline *p, int in_fd, pipeline_put *put, void *arg)
{
	int out = pipeline_start(p, in_fd), e;

	if (out >= 0)
		return pipeline_drain(p, out, put, arg);
	e = errno;
	for (size_t i = 0; i < p->n; i++)
		if (p->stage[i].err_fd >= 0)
			close(p->stage[i].err_fd);
	wait_all(p);
	errno = e;
	return -1;
}

void
pipeline_done(struct pipeline *p)
{
	for (size_t i = 0; i < p->n; i++) {
		free(p->stage[i].argv);
		buf_done(&p->stage[i].err);
		buf_done(&p->stage[i].tail);
	}
	p->n = 0;
}
