/* SPDX-License-Identifier: ISC */
/* Asks a second QEMU which devices a machine has if no option says so. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live/live.h"

/* The answer has a few lines; a QEMU that is slow is not waited for. */
enum { ANSWER = 1 << 16, WAIT_MS = 5000 };

extern char **environ;

/* Reads all until the end of the pipe, or for so long. Returns the bytes. */
static size_t
take(int fd, char *to, size_t max)
{
	struct pollfd p = {.fd = fd, .events = POLLIN};
	size_t len = 0;
	ssize_t n = 1;

	while (len < max && n > 0 && poll(&p, 1, WAIT_MS) == 1) {
		n = read(fd, to + len, max - len);
		len += n > 0 ? (size_t)n : 0;
	}
	return len;
}

/* Starts this process's program with its input and output; -1: it failed. */
static pid_t
start(char **args, int in, int out)
{
	posix_spawn_file_actions_t to;
	char exe[64];
	pid_t pid = -1;

	snprintf(exe, sizeof exe, "/proc/%ld/exe", (long)getpid());
	posix_spawn_file_actions_init(&to);
	posix_spawn_file_actions_adddup2(&to, in, STDIN_FILENO);
	posix_spawn_file_actions_adddup2(&to, out, STDOUT_FILENO);
	posix_spawn_file_actions_addopen(
	    &to, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	if (posix_spawn(&pid, exe, &to, NULL, args, environ) != 0)
		pid = -1;
	posix_spawn_file_actions_destroy(&to);
	return pid;
}

static bool
ask(char **args)
{
	static const char question[] = "info network\nquit\n";
	static char answer[ANSWER];
	int in[2] = {-1, -1}, out[2] = {-1, -1};
	size_t n = 0;
	pid_t pid = -1;

	if (pipe2(in, O_CLOEXEC) == 0 && pipe2(out, O_CLOEXEC) == 0 &&
	    write(in[1], question, sizeof question - 1) > 0)
		pid = start(args, in[0], out[1]);
	if (out[1] >= 0)
		close(out[1]);
	if (pid > 0)
		n = take(out[0], answer, sizeof answer);
	if (pid > 0 && kill(pid, SIGKILL) == 0)
		while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	if (out[0] >= 0)
		close(out[0]);
	for (size_t i = 0; i < 2; i++)
		if (in[i] >= 0)
			close(in[i]);
	return memmem(answer, n, "type=nic", 8) != NULL;
}

bool
live_has_card(const char *line, size_t n)
{
	static const char asked[] = "KST_COUNT_ASKS";
	char machine[256], name[] = "qemu";
	bool has;
	char *args[] = {name, "-M", machine, "-display", "none", "-serial",
	    "none", "-parallel", "none", "-S", "-monitor", "stdio", NULL};

	/* What is started may be a program with the plugin in it. */
	if (getenv(asked) ||
	    !live_default_devices(line, n, machine, sizeof machine))
		return false;
	setenv(asked, "1", 1);
	if (*machine == 0)
		args[2] = name;
	has = ask(*machine ? args : args + 2);
	unsetenv(asked);
	return has;
}
