/* SPDX-License-Identifier: ISC */
/* task.txt: which task ran which program, and when. */
#include "folder/lines.h"
#include "folder/folder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "set/bound.h"
#include "io/fault.h"
#include "folder/syms.h"
#include "base/xalloc.h"

/* A session's id names a file: only letters and digits. */
enum { SID_MAX = 64 };
#define SID "sid=%63[0-9a-zA-Z]"
#define TIME "timestamp=%" SCNu64 ".%" SCNu64

static uint64_t
time_ns(uint64_t sec, uint64_t ns)
{
	if (__builtin_mul_overflow(sec, (uint64_t)1000000000, &sec) ||
	    __builtin_add_overflow(sec, ns, &sec))
		return 0;
	return sec;
}

/* The text up to a quotation mark. */
static char *
quoted(const char *p)
{
	return xmemdup0(p, strcspn(p, "\""));
}

static bool
add_session(struct data *d, const char *line)
{
	struct session s = {0};
	char sid[SID_MAX];
	uint64_t sec, ns;
	int n = 0;

	if (sscanf(line,
		"SESS " TIME " %*[^i]id=%" SCNu64 " " SID " exename=\"%n", &sec,
		&ns, &s.pid, sid, &n) != 4 ||
	    n == 0)
		return false;
	s.time = time_ns(sec, ns);
	s.view = syms_view(d->syms, sid, strlen(sid));
	s.exename = quoted(line + n);
	*xpush(d->sessions, d->n_sessions, d->cap_sessions) = s;
	return true;
}

static bool
add_task(struct data *d, const char *line)
{
	struct task t = {0};

	if (sscanf(line, "TASK %*s tid=%" SCNu64 " pid=%" SCNu64, &t.tid,
		&t.pid) != 2) {
		if (sscanf(line, "FORK %*s pid=%" SCNu64 " ppid=%" SCNu64,
			&t.pid, &t.ppid) != 2)
			return false;
		t.tid = t.pid;
	}
	*xpush(d->tasks, d->n_tasks, d->cap_tasks) = t;
	return true;
}

/* The session of a view has another one from a time on. */
static void
change_view(struct data *d, uint32_t old, uint32_t view, uint64_t time)
{
	for (size_t i = d->n_sessions; i-- > 0;) {
		struct session s = d->sessions[i];

		if (s.view != old)
			continue;
		s.view = view;
		s.time = time;
		s.exename = xstrdup(s.exename);
		*xpush(d->sessions, d->n_sessions, d->cap_sessions) = s;
		return;
	}
}

static bool
add_library(struct data *d, const char *line)
{
	uint64_t sec, ns, base;
	uint32_t view, now;
	char sid[SID_MAX], *path;
	int n = 0;

	if (sscanf(line,
		"DLOP " TIME " %*s " SID " base=%" SCNx64 " libname=\"%n", &sec,
		&ns, sid, &base, &n) != 4 ||
	    n == 0)
		return false;
	path = quoted(line + n);
	view = syms_view(d->syms, sid, strlen(sid));
	now = syms_dlopen(d->syms, view, base, path);
	if (now != view)
		change_view(d, view, now, time_ns(sec, ns));
	free(path);
	return true;
}

static bool
task_line(void *data, char *line)
{
	return add_session(data, line) || add_task(data, line) ||
	       add_library(data, line);
}

static int
by_pid_time(const void *pa, const void *pb)
{
	const struct session *a = pa, *b = pb;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return (a->time > b->time) - (a->time < b->time);
}

/* Joins the two lines of a task that forked and then ran a program. */
static void
merge_tasks(struct data *d)
{
	size_t n = 0;

	if (d->n_tasks == 0)
		return;
	qsort(d->tasks, d->n_tasks, sizeof *d->tasks, bound_compare);
	for (size_t i = 1; i < d->n_tasks; i++) {
		struct task *t = &d->tasks[n], *u = &d->tasks[i];

		if (u->tid != t->tid)
			d->tasks[++n] = *u;
		else if (t->ppid == 0)
			t->ppid = u->ppid;
	}
	d->n_tasks = n + 1;
}

void
data_read_tasks(struct data *d)
{
	struct fault bad = {"line that is not a task", 0};

	d->failed |=
	    !lines_read(d->dir, "task.txt", task_line, d, &bad, "not a task");
	d->failed |= fault_sum(&bad, 1) != 0;
	if (d->n_sessions)
		qsort(d->sessions, d->n_sessions, sizeof *d->sessions,
		    by_pid_time);
	merge_tasks(d);
	if (d->n_sessions == 0)
		d->no_view = syms_view(d->syms, "0", 1);
}

const struct task *
data_task(const struct data *d, uint64_t tid)
{
	return d->n_tasks ? bsearch(&tid, d->tasks, d->n_tasks,
				sizeof *d->tasks, bound_compare)
			  : NULL;
}

const struct session *
data_session_at(
    const struct data *d, uint64_t tid, uint64_t time, uint64_t *until)
{
	const struct session *first = NULL;
	uint64_t id = tid;

	*until = UINT64_MAX;
	if (d->n_sessions == 0)
		return NULL;
	/* A chain of more parents than tasks is a circle. */
	for (size_t hops = 0; hops <= d->n_tasks; hops++) {
		const struct task *t = data_task(d, id);
		const struct session *s = NULL;
		uint64_t pid = t ? t->pid : id;
		size_t i = bound_above(d->sessions, d->n_sessions, sizeof *s,
		    offsetof(struct session, pid), pid);

		/* a process's sessions, the last one first */
		for (; i > 0 && d->sessions[i - 1].pid == pid; i--) {
			s = &d->sessions[i - 1];
			if (s->time <= time)
				return s;
			if (s->time < *until)
				*until = s->time;
		}
		if (first == NULL)
			first = s;
		if (t == NULL || (t->ppid == 0 && t->pid == id))
			break;
		id = t->ppid ? t->ppid : t->pid;
	}
	return first ? first : d->sessions;
}
