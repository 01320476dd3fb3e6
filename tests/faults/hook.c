/* SPDX-License-Identifier: ISC */
/*
 * A library to preload: what hostile input might make of a filter. Once some of
 * the input has been read, it tries to open another file, to make one, to open
 * a connection and to run a program, and says what it could do.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static void
say(const char *what, int status)
{
	dprintf(2, "hook: %s: %s\n", what, status >= 0 ? "done" : "refused");
}

ssize_t
read(int fd, void *to, size_t n)
{
	ssize_t (*next)(int, void *, size_t) =
	    (ssize_t(*)(int, void *, size_t))dlsym(RTLD_NEXT, "read");
	ssize_t got = next(fd, to, n);
	char *none[] = {NULL};
	static int tried;

	if (got < 12 || memcmp(to, "hook;hostile", 12) != 0 || tried++)
		return got;
	say("read", open("/etc/passwd", O_RDONLY));
	say("write", open("hook.made", O_WRONLY | O_CREAT, 0666));
	say("socket", socket(AF_INET, SOCK_STREAM, 0));
	/* no such program: EPERM and EACCES tell of a lack of rights */
	execve("/none", none, none);
	say("run", errno == ENOENT ? 0 : -1);
	return got;
}
