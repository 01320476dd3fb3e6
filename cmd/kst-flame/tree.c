/* SPDX-License-Identifier: ISC */
/*
 * Knows /proc/PID/stat, and signals by descriptors of processes: a number that
 * another process has got meanwhile is not signalled.
 */
#include "tree.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/xalloc.h"

struct process {
	pid_t pid, parent;
	bool ours;
};

/* `PID (NAME) STATE PARENT ...`; a name may have anything in it. */
static pid_t
parent_of(pid_t pid)
{
	char path[32], text[512], *p, state;
	ssize_t n;
	int fd, parent;

	snprintf(path, sizeof path, "/proc/%ld/stat", (long)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, text, sizeof text - 1);
	close(fd);
	if (n <= 0)
		return -1;
	text[n] = 0;
	p = strrchr(text, ')');
	if (p == NULL || sscanf(p + 1, " %c %d", &state, &parent) != 2 ||
	    state == 'Z')
		return -1;
	return parent;
}

static size_t
list(struct process **all)
{
	DIR *d = opendir("/proc");
	size_t n = 0, cap = 0;
	struct dirent *e;

	*all = NULL;
	while (d != NULL && (e = readdir(d)) != NULL) {
		struct process p = {.parent = -1};

		if (isdigit((unsigned char)e->d_name[0])) {
			p.pid = (pid_t)atol(e->d_name);
			p.parent = parent_of(p.pid);
		}
		if (p.parent < 0)
			continue;
		*all = xgrow(*all, n + 1, &cap, sizeof **all);
		(*all)[n++] = p;
	}
	if (d != NULL)
		closedir(d);
	return n;
}

static int
by_pid(const void *a, const void *b)
{
	const struct process *p = a, *q = b;

	return (p->pid > q->pid) - (p->pid < q->pid);
}

/* Marks the children of marked ones until there are no more. */
static void
mark(struct process *all, size_t n)
{
	pid_t self = getpid();
	bool more = n > 0;

	if (n > 0)
		qsort(all, n, sizeof *all, by_pid);
	while (more) {
		more = false;
		for (size_t i = 0; i < n; i++) {
			struct process key = {.pid = all[i].parent}, *p;

			p = bsearch(&key, all, n, sizeof *all, by_pid);
			if (all[i].ours || (key.pid != self && !(p && p->ours)))
				continue;
			more = all[i].ours = true;
		}
	}
}

static void
send(const struct process *p, int sig)
{
	int fd = (int)syscall(SYS_pidfd_open, p->pid, 0);

	if (fd < 0)
		return;
	if (parent_of(p->pid) == p->parent)
		syscall(SYS_pidfd_send_signal, fd, sig, NULL, 0);
	close(fd);
}

void
tree_signal(int sig)
{
	struct process *all;
	size_t n = list(&all);

	mark(all, n);
	for (size_t i = 0; i < n; i++)
		if (all[i].ours)
			send(&all[i], sig);
	free(all);
}
