/* SPDX-License-Identifier: ISC */
#include "pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/xalloc.h"

enum { SUMMARY_FD = 3 };

void
path_beside(void)
{
	const char *path = getenv("PATH");
	struct buf b = BUF_INIT;
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

	if (n <= 0)
		return;
	exe[n] = 0;
	*strrchr(exe, '/') = 0;
	buf_printf(&b, "%s:%s", exe, path ? path : "");
	setenv("PATH", buf_str(&b), 1);
	buf_done(&b);
}

int
pipeline_begin(struct pipeline *p, int in, bool loud)
{
	memset(p, 0, sizeof *p);
	p->fd = in;
	p->loud = loud;
	if (pipe2(p->said, O_CLOEXEC) == 0)
		return 0;
	p->said[0] = p->said[1] = -1;
	return -1;
}

static int
spawn(const struct pipeline *p, struct stage *s, char *const *argv, int out)
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
	posix_spawn_file_actions_adddup2(&fa, p->fd, 0);
	posix_spawn_file_actions_adddup2(&fa, out, 1);
	if (!p->loud)
		posix_spawn_file_actions_addopen(
		    &fa, 2, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&fa, p->said[1], SUMMARY_FD);
	e = posix_spawnp(&s->pid, argv[0], &fa, &at, argv, environ);
	posix_spawn_file_actions_destroy(&fa);
	posix_spawnattr_destroy(&at);
	errno = e;
	return e ? -1 : 0;
}

int
pipeline_add(struct pipeline *p, char *const *argv, int out)
{
	struct stage *s = &p->stage[p->n];
	int pipe[2] = {-1, out}, status, e;

	if (out < 0 && pipe2(pipe, O_CLOEXEC) != 0)
		return -1;
	*s = (struct stage){.name = argv[0]};
	status = spawn(p, s, argv, pipe[1]);
	e = errno;
	if (out < 0)
		close(pipe[1]);
	close(p->fd);
	p->fd = pipe[0];
	p->n += status == 0;
	errno = e;
	return status;
}

int
pipeline_step(struct pipeline *p, const struct words *w,
    const char *const *more, bool summary, int out)
{
	char fd[12], **argv = xcalloc(w->n + 8, sizeof *argv);
	size_t n = 0;
	int status, e;

	snprintf(fd, sizeof fd, "%d", SUMMARY_FD);
	argv[n++] = w->v[0];
	if (summary) {
		argv[n++] = (char *)"--summary-fd";
		argv[n++] = fd;
	}
	while (more && *more)
		argv[n++] = (char *)*more++;
	memcpy(argv + n, w->v + 1, (w->n - 1) * sizeof *argv);
	status = pipeline_add(p, argv, out);
	e = errno;
	if (status == 0)
		p->stage[p->n - 1].name = w->v[0];
	free(argv);
	errno = e;
	return status;
}

/* Gives each stage its line; a killed one has written none, or all of it. */
static void
take_summaries(struct pipeline *p)
{
	static const char begin[] = "command=";
	ssize_t n;

	do {
		buf_room(&p->text, 1 << 14);
		n = read(p->said[0], p->text.p + p->text.len, 1 << 14);
		p->text.len += n > 0 ? (size_t)n : 0;
	} while (n > 0 || (n < 0 && errno == EINTR));
	for (char *s = buf_str(&p->text), *nl; (nl = strchr(s, '\n'));
	     s = nl + 1) {
		*nl = 0;
		for (size_t i = 0; i < p->n; i++) {
			size_t len = strlen(p->stage[i].name);

			if (strncmp(s, begin, sizeof begin - 1) == 0 &&
			    strncmp(s + sizeof begin - 1, p->stage[i].name,
				len) == 0 &&
			    s[sizeof begin - 1 + len] == ' ')
				p->stage[i].summary = s;
		}
	}
}

void
pipeline_end(struct pipeline *p)
{
	if (p->fd >= 0)
		close(p->fd);
	if (p->said[1] >= 0)
		close(p->said[1]);
	p->fd = p->said[1] = -1;
	for (size_t i = 0; i < p->n; i++)
		while (waitpid(p->stage[i].pid, &p->stage[i].status, 0) < 0 &&
		       errno == EINTR)
			;
	if (p->said[0] >= 0)
		take_summaries(p);
}

void
pipeline_done(struct pipeline *p)
{
	if (p->said[0] >= 0)
		close(p->said[0]);
	buf_done(&p->text);
}

/* What follows ` key=` outside of quotes, or NULL. */
static const char *
value(const char *summary, const char *key)
{
	size_t len = strlen(key);

	for (const char *s = summary; s && (s = strchr(s, ' ')); s++)
		if (strncmp(s + 1, key, len) == 0 && s[1 + len] == '=')
			return s + 2 + len;
		else if (strncmp(s + 1, "what=", 5) == 0)
			break;
	return NULL;
}

uint64_t
summary_number(const char *summary, const char *key)
{
	const char *s = value(summary, key);

	return s ? strtoull(s, NULL, 10) : 0;
}

void
summary_what(const char *summary, struct buf *what)
{
	const char *s = value(summary, "what");

	for (s = s && *s == '"' ? s + 1 : ""; *s && *s != '"'; s++) {
		if (*s == '\\' && s[1])
			s++;
		buf_addc(what, *s);
	}
}
