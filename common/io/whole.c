/* SPDX-License-Identifier: ISC */
#include "io/whole.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/msg.h"
#include "base/xalloc.h"

static bool
is_same(const struct stat *a, const char *path)
{
	struct stat b;
	int status =
	    strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &b) : stat(path, &b);

	return status == 0 && a->st_dev == b.st_dev && a->st_ino == b.st_ino;
}

/* 1, 0 or -1. */
static int
has_mark(const char *path, const char *mark)
{
	char part[WHOLE_HEAD];
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK), found = -1;
	off_t at = 0;

	while (fd >= 0 && found < 1) {
		ssize_t n = pread(fd, part, sizeof part, at);

		if (n < 0 || (n == 0 && at > 0))
			break;
		found = n == 0 || memmem(part, (size_t)n, mark, strlen(mark));
		if (at > 0)
			break;
		at = lseek(fd, 0, SEEK_END);
		at = at > WHOLE_HEAD ? at - WHOLE_HEAD : at;
	}
	if (fd >= 0)
		close(fd);
	return found;
}

const char *
whole_refuses(const char *path, const char *mark, char *const *inputs, size_t n)
{
	struct stat st;
	int found;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
		return NULL;
	for (size_t i = 0; i < n; i++)
		if (is_same(&st, inputs[i]))
			return "is one of the inputs";
	found = mark ? has_mark(path, mark) : 1;
	if (found < 0 && msg_is_system(errno)) {
		msg_system();
		return "cannot be read";
	}
	if (found != 1)
		return "was not written by kst; --force replaces it";
	return NULL;
}

/* A new file beside w->path, with the mode that the old one had. */
static void
open_temp(struct whole *w, const struct stat *old)
{
	const char *slash = strrchr(w->path, '/');
	mode_t mask = umask(0);
	struct buf temp = BUF_INIT;

	umask(mask);
	if (slash)
		buf_add(&temp, w->path, (size_t)(slash + 1 - w->path));
	buf_adds(&temp, ".kst-XXXXXX");
	w->temp = xstrdup(buf_str(&temp));
	buf_done(&temp);
	w->fd = mkostemp(w->temp, O_CLOEXEC);
	if (w->fd >= 0) {
		(void)fchmod(w->fd, (old ? old->st_mode : 0666 & ~mask) & 0777);
	} else {
		free(w->temp);
		w->temp = NULL;
	}
}

int
whole_open(struct whole *w, const char *path)
{
	struct stat st;
	bool is_old = stat(path, &st) == 0;

	*w = (struct whole){.fd = -1};
	if (is_old && !S_ISREG(st.st_mode))
		w->fd = open(path, O_WRONLY | O_CLOEXEC);
	else if ((w->path = is_old ? realpath(path, NULL) : xstrdup(path)))
		open_temp(w, is_old ? &st : NULL);
	w->replaces = w->path && is_old;
	if (w->fd >= 0)
		return 0;
	whole_drop(w);
	return -1;
}

int
whole_close(struct whole *w, bool sync)
{
	int fd = w->fd, status = 0;

	if (w->temp && sync)
		status = fsync(fd);
	w->fd = -1;
	if (close(fd) != 0 && errno != EINTR)
		status = -1;
	if (status == 0 && w->temp)
		status = rename(w->temp, w->path);
	if (status == 0) {
		free(w->temp);
		w->temp = NULL; /* it has its name */
		whole_drop(w);
	}
	return status;
}

void
whole_drop(struct whole *w)
{
	int err = errno;

	if (w->fd >= 0)
		close(w->fd);
	if (w->temp)
		(void)unlink(w->temp);
	free(w->path);
	free(w->temp);
	*w = (struct whole){.fd = -1};
	errno = err;
}

char *
whole_leave(struct whole *w)
{
	char *temp = w->temp;
	struct stat st;

	if (temp && stat(temp, &st) == 0 && st.st_size > 0)
		w->temp = NULL; /* it has the name that it keeps */
	else
		temp = NULL;
	whole_drop(w);
	return temp;
}
