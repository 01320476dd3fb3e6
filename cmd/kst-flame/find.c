/* SPDX-License-Identifier: ISC */
/* The list of processes, in which QEMU's guests are. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "qemu.h"

enum { CMDLINE_MAX = 1 << 18 };

static void
read_words(const char *path, struct words *w)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct buf b = BUF_INIT;
	ssize_t n = 1;

	while (fd >= 0 && n > 0 && b.len < CMDLINE_MAX) {
		buf_room(&b, 4096);
		n = read(fd, b.p + b.len, 4096);
		b.len += n > 0 ? (size_t)n : 0;
	}
	if (fd >= 0)
		close(fd);
	buf_str(&b);
	for (size_t at = 0; at < b.len; at += strlen(b.p + at) + 1)
		words_add(w, b.p + at);
	buf_done(&b);
}

/* Whether the process is a QEMU, which is then read into *g. */
static bool
look_at(const char *pid, struct qemu_guest *g)
{
	char path[NAME_MAX + 16], dir[PATH_MAX];
	struct words w = {0};
	ssize_t n;
	bool is;

	snprintf(path, sizeof path, "/proc/%s/cmdline", pid);
	read_words(path, &w);
	is = w.n > 0 && qemu_is(w.v[0]);
	if (is) {
		snprintf(path, sizeof path, "/proc/%s/cwd", pid);
		n = readlink(path, dir, sizeof dir - 1);
		dir[n > 0 ? n : 0] = 0;
		*g = (struct qemu_guest){.pid = atol(pid)};
		qemu_read(g, w.v, n > 0 ? dir : NULL);
	}
	words_done(&w);
	return is;
}

static int
by_way(const void *a, const void *b)
{
	const struct qemu_guest *p = a, *q = b;

	if ((p->remote == NULL) != (q->remote == NULL))
		return p->remote == NULL ? 1 : -1;
	return (p->pid > q->pid) - (p->pid < q->pid);
}

size_t
qemu_find(struct qemu_guest **guests)
{
	DIR *d = opendir("/proc");
	size_t n = 0, cap = 0;
	struct dirent *e;

	*guests = NULL;
	while (d != NULL && (e = readdir(d)) != NULL) {
		struct qemu_guest g;

		if (!isdigit((unsigned char)e->d_name[0]) ||
		    !look_at(e->d_name, &g))
			continue;
		*guests = xgrow(*guests, n + 1, &cap, sizeof **guests);
		(*guests)[n++] = g;
	}
	if (d != NULL)
		closedir(d);
	if (n > 0)
		qsort(*guests, n, sizeof **guests, by_way);
	return n;
}
