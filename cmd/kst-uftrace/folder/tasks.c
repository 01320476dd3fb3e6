/* SPDX-License-Identifier: ISC */
/* task.txt: which task ran which program, and when. */
#include "folder/data.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/bound.h"
#include "base/fault.h"
#include "base/num.h"
#include "folder/lines.h"
#include "folder/syms.h"
#include "base/xalloc.h"

/* The value of ` KEY=VALUE` or ` KEY="VALUE"` in a line, or NULL. */
static const char *
value_of(const char *line, size_t len, const char *key, size_t *val_len)
{
	size_t n = strlen(key);
	const char *end = line + len, *p = line, *stop;

	for (;; p++) {
		p = memmem(p, (size_t)(end - p), key, n);
		if (p == NULL)
			return NULL;
		if (p > line && p[-1] == ' ' && p + n < end && p[n] == '=')
			break;
	}
	p += n + 1;
	if (p < end && *p == '"') {
		p++;
		stop = memchr(p, '"', (size_t)(end - p));
	} else {
		stop = memchr(p, ' ', (size_t)(end - p));
	}
	*val_len = (size_t)((stop ? stop : end) - p);
	return p;
}

static bool
number_of(const char *line, size_t len, const char *key, uint64_t *v)
{
	size_t n;
	const char *p = value_of(line, len, key, &n);

	return p && num_u64(p, n, v) == 0;
}

/* `timestamp=SECONDS.NANOSECONDS`; 0 for anything else. */
static uint64_t
time_of(const char *line, size_t len)
{
	size_t n;
	const char *p = value_of(line, len, "timestamp", &n);
	const char *dot = p ? memchr(p, '.', n) : NULL;
	uint64_t sec, ns;

	if (dot == NULL || num_u64(p, (size_t)(dot - p), &sec) ||
	    num_u64(dot + 1, n - (size_t)(dot + 1 - p), &ns) ||
	    __builtin_mul_overflow(sec, (uint64_t)1000000000, &sec) ||
	    __builtin_add_overflow(sec, ns, &sec))
		return 0;
	return sec;
}

/* A session's id names a file: only letters and digits. */
static bool
is_sid(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)p[i]))
			return false;
	return len > 0 && len < 64;
}

static void
push_session(struct data *d, struct session s)
{
	d->sessions =
	    xreallocn(d->sessions, d->n_sessions + 1, sizeof *d->sessions);
	d->sessions[d->n_sessions++] = s;
}

static bool
add_session(struct data *d, const char *line, size_t len)
{
	struct session s = {.time = time_of(line, len)};
	const char *sid, *exe;
	size_t sid_len, exe_len;

	sid = value_of(line, len, "sid", &sid_len);
	exe = value_of(line, len, "exename", &exe_len);
	if (!sid || !exe || !is_sid(sid, sid_len) ||
	    !number_of(line, len, "pid", &s.pid))
		return false;
	s.space = syms_space(d->syms, sid, sid_len);
	s.exename = xmemdup0(exe, exe_len);
	push_session(d, s);
	return true;
}

static bool
add_task(struct data *d, const char *line, size_t len, bool fork)
{
	struct task t = {0};

	if (!number_of(line, len, "pid", &t.pid))
		return false;
	t.tid = t.pid;
	if (!number_of(
		line, len, fork ? "ppid" : "tid", fork ? &t.ppid : &t.tid))
		return false;
	d->tasks = xreallocn(d->tasks, d->n_tasks + 1, sizeof *d->tasks);
	d->tasks[d->n_tasks++] = t;
	return true;
}

/* The sessions of a space are in a later version of it from a time on. */
static void
begin_version(struct data *d, uint32_t old, uint32_t space, uint64_t time)
{
	for (size_t i = d->n_sessions; i-- > 0;) {
		struct session s = d->sessions[i];

		if (s.space != old)
			continue;
		s.space = space;
		s.time = time;
		s.exename = xstrdup(s.exename);
		push_session(d, s);
		return;
	}
}

static bool
add_library(struct data *d, const char *line, size_t len)
{
	const char *sid, *base, *name;
	size_t sid_len, base_len, name_len;
	uint32_t space, old;
	uint64_t addr;
	char *path;

	sid = value_of(line, len, "sid", &sid_len);
	base = value_of(line, len, "base", &base_len);
	name = value_of(line, len, "libname", &name_len);
	if (!sid || !base || !name || !is_sid(sid, sid_len) ||
	    num_hex(base, base_len, &addr))
		return false;
	path = xmemdup0(name, name_len);
	space = syms_space(d->syms, sid, sid_len);
	old = syms_newest(d->syms, space);
	syms_dlopen(d->syms, space, addr, path);
	if (syms_newest(d->syms, space) != old)
		begin_version(
		    d, old, syms_newest(d->syms, space), time_of(line, len));
	free(path);
	return true;
}

static bool
task_line(void *data, const char *line, size_t len)
{
	struct data *d = data;

	if (len < 5 || line[4] != ' ')
		return false;
	if (memcmp(line, "SESS", 4) == 0)
		return add_session(d, line, len);
	if (memcmp(line, "TASK", 4) == 0)
		return add_task(d, line, len, false);
	if (memcmp(line, "FORK", 4) == 0)
		return add_task(d, line, len, true);
	if (memcmp(line, "DLOP", 4) == 0)
		return add_library(d, line, len);
	return false;
}

static int
by_pid_time(const void *pa, const void *pb)
{
	const struct session *a = pa, *b = pb;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return (a->time > b->time) - (a->time < b->time);
}

static int
by_tid(const void *pa, const void *pb)
{
	const struct task *a = pa, *b = pb;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

/* Joins the two lines of a task that forked and then ran a program. */
static void
merge_tasks(struct data *d)
{
	size_t n = 0;

	if (d->n_tasks == 0)
		return;
	qsort(d->tasks, d->n_tasks, sizeof *d->tasks, by_tid);
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
	char *path = lines_path(d->dir, "task.txt");

	d->failed |= !lines_read(path, task_line, d, &bad, "not a task");
	d->failed |= fault_sum(&bad, 1) != 0;
	free(path);
	if (d->n_sessions)
		qsort(d->sessions, d->n_sessions, sizeof *d->sessions,
		    by_pid_time);
	merge_tasks(d);
	if (d->n_sessions == 0)
		d->no_space = syms_space(d->syms, "0", 1);
}

const struct task *
data_task(const struct data *d, uint64_t tid)
{
	const struct task key = {.tid = tid};

	if (d->n_tasks == 0)
		return NULL;
	return bsearch(&key, d->tasks, d->n_tasks, sizeof key, by_tid);
}

/* A process's sessions, by time. */
static const struct session *
sessions_of(const struct data *d, uint64_t pid, size_t *n)
{
	const size_t size = sizeof *d->sessions;
	const size_t at = offsetof(struct session, pid);
	size_t end = bound_above(d->sessions, d->n_sessions, size, at, pid);
	size_t start =
	    pid ? bound_above(d->sessions, end, size, at, pid - 1) : 0;

	*n = end - start;
	return d->sessions + start;
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
		const struct session *s;
		size_t n, i = 0;

		s = sessions_of(d, t ? t->pid : id, &n);
		while (i < n && s[i].time <= time)
			i++;
		if (i < n && s[i].time < *until)
			*until = s[i].time;
		if (i > 0)
			return &s[i - 1];
		if (first == NULL && n > 0)
			first = s;
		if (t == NULL || (t->ppid == 0 && t->pid == id))
			break;
		id = t->ppid ? t->ppid : t->pid;
	}
	return first ? first : d->sessions;
}
