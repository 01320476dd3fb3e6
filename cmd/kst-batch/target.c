/* SPDX-License-Identifier: ISC */
#include "target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "job.h"
#include "base/xalloc.h"

int
target_open(struct target *t)
{
	t->bytes = 0;
	t->fd = open(
	    buf_str(&t->temp), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	return t->fd < 0 ? -1 : 0;
}

int
target_put(void *arg, const char *p, size_t n)
{
	struct target *t = arg;

	t->bytes += n;
	return file_put(t->fd, p, n);
}

/* Copies the file beside its last name, in another file system. */
static int
copy_beside(struct target *t, const char *path)
{
	struct target to = {.fd = -1, .temp = BUF_INIT};
	const char *slash = strrchr(path, '/');
	char block[1 << 14];
	int from = open(t->temp.p, O_RDONLY | O_CLOEXEC), status = -1, e;
	ssize_t n;

	buf_printf(&to.temp, "%.*s.kst-batch-%ld",
	    slash ? (int)(slash + 1 - path) : 0, path, (long)getpid());
	if (from >= 0 && target_open(&to) == 0) {
		do {
			n = read(from, block, sizeof block);
			status = n < 0 ? -1 : 0;
			if (n > 0)
				status = target_put(&to, block, (size_t)n);
		} while (status == 0 && n > 0);
		e = errno;
		if (close(to.fd) != 0 && status == 0) {
			status = -1;
			e = errno;
		}
		errno = e;
		if (status == 0)
			status = rename(to.temp.p, path);
		e = errno;
		unlink(status == 0 ? t->temp.p : to.temp.p);
		errno = e;
	}
	e = errno;
	if (from >= 0)
		close(from);
	buf_done(&to.temp);
	errno = e;
	return status;
}

static int
name_it(struct target *t, const char *path)
{
	int status = rename(buf_str(&t->temp), path);

	if (status != 0 && errno == ENOENT && make_parents(path) == 0)
		status = rename(t->temp.p, path);
	if (status != 0 && errno == EXDEV)
		status = copy_beside(t, path);
	return status;
}

int
target_close(struct target *t, const char *path, bool good)
{
	int e = errno;

	if (t->fd >= 0 && close(t->fd) != 0 && good) {
		good = false;
		e = errno;
	}
	t->fd = -1;
	if (good && name_it(t, path) != 0) {
		good = false;
		e = errno;
	}
	if (!good && t->temp.len)
		unlink(t->temp.p);
	buf_done(&t->temp);
	errno = e;
	return good ? 0 : -1;
}
