/* SPDX-License-Identifier: ISC */
#include "io/in.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/msg.h"
#include "io/fault.h"
#include "io/out.h"
#include "base/summary.h"
#include "base/xalloc.h"

/* Fits into the L2 cache, and needs few system calls. */
enum { IN_SIZE = 1 << 18, CAP_MAX = IN_LINE_MAX + IN_SIZE };

void
in_init(struct in *in, char **operands, int n)
{
	in_init_folder(in, operands, n, IN_SIZE);
	in->folder = false;
}

void
in_init_folder(struct in *in, char **operands, int n, size_t size)
{
	static char dash[] = "-", *standard_input[] = {dash};

	memset(in, 0, sizeof *in);
	in->folder = true;
	in->operands = n ? operands : standard_input;
	in->n_operands = n ? n : 1;
	in->fd = -1;
	in->eof = true;
	in->name = "stdin";
	in->most = UINT64_MAX;
	in->cap = size;
	in->base = xmalloc(in->cap);
	in->p = in->end = in->base;
}

void
in_init_fd(struct in *in, int fd, const char *name)
{
	struct stat st;

	in_init(in, NULL, 0);
	in->next_operand = in->file_no = 1;
	in->name = name;
	in->fd = fd;
	in->eof = false;
	in->may_block = fstat(fd, &st) != 0 || !S_ISREG(st.st_mode);
}

void
in_done(struct in *in)
{
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	free(in->base);
	memset(in, 0, sizeof *in);
	in->fd = -1;
}

static void
read_failed(struct in *in)
{
	if (!in->quiet)
		msg_errno("%s", msg_str(in->name));
	in->failed = true;
}

static struct sigaction usual;

static void
on_first_interrupt(int sig)
{
	sigaction(sig, &usual, NULL);
}

/*
 * Ctrl-C ends what writes into a pipeline; the filters after it finish what
 * they get, and die of the next one. A terminal has no such writer.
 */
static void
outlive_interrupt(const struct in *in)
{
	const struct sigaction first = {
	    .sa_handler = on_first_interrupt, .sa_flags = SA_RESTART};

	static bool asked;

	if (asked || !in->may_block || in->wait || isatty(in->fd))
		return;
	asked = true;
	if (sigaction(SIGINT, NULL, &usual) == 0 && usual.sa_handler != SIG_IGN)
		sigaction(SIGINT, &first, NULL);
}

/* Opens the next readable operand; false if there are no more. */
static bool
open_next(struct in *in)
{
	struct stat st;

	for (;;) {
		if (in->next_operand == in->n_operands)
			return false;
		in->name = in->operands[in->next_operand++];
		if (strcmp(in->name, "-") == 0) {
			in->name = "stdin";
			in->fd = STDIN_FILENO;
		} else {
			in->fd =
			    open(in->name, O_RDONLY | O_CLOEXEC |
					       (in->folder ? O_NONBLOCK : 0));
		}
		in->lines += in->line;
		in->line = 0;
		if (in->fd >= 0 && fstat(in->fd, &st) == 0) {
			if (S_ISREG(st.st_mode) ||
			    (!in->folder && !S_ISDIR(st.st_mode)))
				break;
			errno = S_ISDIR(st.st_mode) ? EISDIR : ENOTSUP;
		} else if (in->fd < 0 && errno == EACCES) {
			/* rights to files do not hold for folders */
			errno = stat(in->name, &st) == 0 && S_ISDIR(st.st_mode)
				    ? EISDIR
				    : EACCES;
		}
		read_failed(in);
		if (in->fd > STDIN_FILENO)
			close(in->fd);
	}
	in->may_block = !S_ISREG(st.st_mode);
#ifdef POSIX_FADV_SEQUENTIAL
	if (!in->may_block)
		posix_fadvise(in->fd, 0, 0, POSIX_FADV_SEQUENTIAL);
#endif
	outlive_interrupt(in);
	in->eof = false;
	in->file_no++;
	return true;
}

static void
end_file(struct in *in)
{
	if (in->fd > STDIN_FILENO)
		close(in->fd);
	in->fd = -1;
	in->eof = true;
}

/* Reads more after in->end; sets eof at the end of the file. */
static void
read_more(struct in *in)
{
	char *to = in->base + (in->end - in->base);
	size_t room = in->cap - (size_t)(to - in->base);
	ssize_t n;

	if (room > in->most - in->bytes)
		room = (size_t)(in->most - in->bytes);

	if (in->may_block && out.len) {
		struct pollfd pfd = {in->fd, POLLIN, 0};

		if (poll(&pfd, 1, 0) == 0)
			out_flush();
	}
	if (in->may_block && in->wait && !in->wait(in->wait_arg, in->fd)) {
		end_file(in);
		in->next_operand = in->n_operands;
		return;
	}
	do {
		n = read(in->fd, to, room);
		if (n < 0 && errno == EAGAIN) {
			struct pollfd pfd = {in->fd, POLLIN, 0};

			out_flush();
			poll(&pfd, 1, -1);
		}
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	if (n > 0) {
		in->end += n;
		in->bytes += (uint64_t)n;
		return;
	}
	if (n < 0)
		read_failed(in);
	end_file(in);
}

/* Moves the unread bytes to the front and makes room after them. */
static void
make_room(struct in *in)
{
	size_t left = (size_t)(in->end - in->p);

	if (in->p != in->base)
		memmove(in->base, in->p, left);
	if (left == in->cap) {
		in->cap *= 2;
		if (in->cap > CAP_MAX)
			in->cap = CAP_MAX;
		in->base = xreallocn(in->base, in->cap, 1);
	}
	in->p = in->base;
	in->end = in->base + left;
}

static void
say_too_long(struct in *in)
{
	if (!in->quiet)
		fault_say_at(&(struct fault){.n = 0}, in->name, in->line,
		    "line longer than %d bytes; the rest of it is skipped",
		    IN_LINE_MAX);
	in->failed = true;
}

/* Returns the line of `len` bytes at in->p; `next` is what follows it. */
static int
give(struct in *in, size_t len, const char *next, const char **line,
    size_t *line_len)
{
	in->line++;
	if (len > IN_LINE_MAX) {
		say_too_long(in);
		len = IN_LINE_MAX;
	}
	*line = in->p;
	*line_len = len;
	in->p = next;
	return 1;
}

/* Skips the rest of a line after IN_LINE_MAX bytes. */
static const char *
skip_rest_of_line(struct in *in)
{
	const char *keep_end = in->p + IN_LINE_MAX;

	for (;;) {
		const char *nl =
		    memchr(keep_end, '\n', (size_t)(in->end - keep_end));

		if (nl)
			return nl + 1;
		in->end = keep_end;
		if (in->eof)
			return in->end;
		read_more(in);
	}
}

int
in_refill_line(struct in *in, const char **line, size_t *len)
{
	for (;;) {
		size_t had = (size_t)(in->end - in->p);
		const char *nl;

		if (in->eof && had == 0 && !open_next(in))
			return 0;
		if (in->eof && had != 0) /* a last line without LF */
			return give(in, had, in->end, line, len);
		if (had > IN_LINE_MAX)
			return give(in, had, skip_rest_of_line(in), line, len);
		make_room(in);
		read_more(in);
		nl = memchr(in->p + had, '\n', (size_t)(in->end - in->p) - had);
		if (nl)
			return give(
			    in, (size_t)(nl - in->p), nl + 1, line, len);
	}
}

size_t
in_fill(struct in *in, size_t want)
{
	while ((size_t)(in->end - in->p) < want) {
		if (in->eof) {
			if (in->p != in->end)
				break;
			if (!open_next(in))
				return 0;
		}
		make_room(in);
		read_more(in);
	}
	return (size_t)(in->end - in->p);
}

void
in_skip_file(struct in *in, unsigned file_no)
{
	while (in_more(in, file_no))
		in->p = in->end;
}

bool
in_idle(const struct in *in, int ms)
{
	struct pollfd pfd = {in->fd, POLLIN, 0};

	if (in->eof || !in->may_block ||
	    memchr(in->p, '\n', (size_t)(in->end - in->p)))
		return false;
	return poll(&pfd, 1, ms) == 0;
}

void
in_summarize(const struct in *in)
{
	summary_count("bytes", in->bytes);
	summary_count("lines", in->lines + in->line);
}
