/* SPDX-License-Identifier: ISC */
/*
 * Another process opens the files and starts their unpackers, since the one
 * that reads them has no right to. They talk over a pair of sockets.
 */
#include "sides/open.h"
#include "sides/side.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "io/job.h"
#include "rights/pass.h"
#include "rights/rights.h"
#include "trace/signs.h"

enum { END = -1 };

/* A file by its side and number; side END asks for the last unpacker's end. */
struct request {
	int side;
	size_t i;
};

/* The exit status after a message, or the unpacker's status as of waitpid(). */
struct reply {
	int status;
};

static int link_fd = -1;

/* Sets *fd to the unpacker's output, and returns its process; -1: a message. */
static pid_t
unpack(int *fd, char *const *argv)
{
	int pipe[2], error = 0;
	pid_t pid;

	if (pipe2(pipe, O_CLOEXEC) != 0) {
		msg_errno("%s", argv[0]);
		return -1;
	}
	pid = job_start(&(struct job){.argv = argv,
	    .in = *fd,
	    .out = pipe[1],
	    .foreign = true,
	    .stays = true,
	    .error = &error});
	close(pipe[1]);
	close(*fd);
	*fd = pipe[0];
	if (pid > 0)
		return pid;
	errno = error;
	msg_errno("%s", argv[0]);
	return -1;
}

/* Opens a file, through its unpacker if it is packed; -1 after a message. */
static int
open_file(const char *path, pid_t *unpacker)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char begin[8];
	char *const *argv;
	ssize_t n;

	if (fd < 0) {
		msg_errno("%s", msg_str(path));
		return -1;
	}
	n = pread(fd, begin, sizeof begin, 0);
	if (n < 0 && msg_is_system(errno)) {
		msg_errno("%s", msg_str(path));
		close(fd);
		return -1;
	}
	argv = n > 0 ? look_unpacker(begin, (size_t)n) : NULL;
	if (argv == NULL)
		return fd;
	*unpacker = unpack(&fd, argv);
	if (*unpacker > 0)
		return fd;
	msg_system();
	close(fd);
	return -1;
}

static _Noreturn void
serve(int fd, const struct side s[4])
{
	struct request q;
	pid_t unpacker = 0;

	rights_keep(&(struct rights){
	    .reads = rights_all, .n_reads = 1, .also = RIGHTS_RUN});
	while (read(fd, &q, sizeof q) == (ssize_t)sizeof q) {
		struct reply r = {0};
		int file = -1;

		if (q.side != END) {
			unpacker = 0;
			file = open_file(s[q.side].files[q.i], &unpacker);
			if (file < 0)
				r.status = msg_status(EXIT_FAILED);
		} else if (unpacker > 0 &&
			   waitpid(unpacker, &r.status, 0) != unpacker) {
			r.status = -1;
		}
		if (!pass_send(fd, &r, sizeof r, file))
			break;
		if (file >= 0)
			close(file);
	}
	_exit(0);
}

bool
open_begin(const struct side s[4])
{
	int p[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, p) != 0) {
		msg_errno("socketpair");
		return false;
	}
	pid = fork();
	if (pid == 0) {
		close(p[1]);
		serve(p[0], s);
	}
	if (pid < 0)
		msg_errno("fork");
	close(p[0]);
	link_fd = p[1];
	return pid > 0;
}

/* Returns the file that came with the reply, or -1. */
static int
ask(int side, size_t i, struct reply *r)
{
	struct request q;
	int fd;

	memset(&q, 0, sizeof q);
	q.side = side;
	q.i = i;
	if (write(link_fd, &q, sizeof q) != (ssize_t)sizeof q ||
	    !pass_receive(link_fd, r, sizeof *r, &fd))
		msg_die(EXIT_SYSTEM, "the process that opens files has ended");
	return fd;
}

int
open_next(int side, size_t i)
{
	struct reply r;
	int fd = ask(side, i, &r);

	if (fd < 0 && r.status == EXIT_SYSTEM)
		msg_system();
	else if (fd < 0 && r.status == 0) { /* no descriptor was left for it */
		errno = EMFILE;
		msg_errno("a file");
	}
	return fd;
}

bool
open_end(const char *path)
{
	struct reply r;

	ask(END, 0, &r);
	if (r.status == 0)
		return true;
	if (WIFSIGNALED(r.status) && WTERMSIG(r.status) != SIGPIPE) {
		msg_system();
		msg("%s: its unpacker was killed by signal %d", msg_str(path),
		    WTERMSIG(r.status));
	} else {
		msg("%s: could not be decompressed", msg_str(path));
	}
	return false;
}
