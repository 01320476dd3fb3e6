/* SPDX-License-Identifier: ISC */
/* The only file that knows the text files of the directory but symbols. */
#include "data.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "in.h"
#include "msg.h"
#include "opt.h"
#include "spec.h"
#include "syms.h"
#include "xalloc.h"

enum {
	HEADER_SIZE = 40,
	FEAT_SYM_REL_ADDR = 1 << 5,
	VERSION_MIN = 3,
	VERSION_MAX = 4
};

/* Opens DIR/NAME for in; its path is put into b and must outlive in. */
static void
open_file(const struct data *d, const char *name, struct buf *b, char **operand,
    struct in *in)
{
	b->len = 0;
	buf_printf(b, "%s/%s", d->dir, name);
	*operand = buf_str(b);
	in_init_sized(in, operand, 1, 1 << 14);
}

static uint64_t
bytes(const unsigned char *p, size_t n, bool big)
{
	uint64_t v = 0;

	for (size_t i = 0; i < n; i++)
		v |= (uint64_t)p[i] << 8 * (big ? n - 1 - i : i);
	return v;
}

/*
 *      0  "Ftrace!\0"     8  u32 version    12  u16 header size
 *     14  u8 1 little, 2 big    15  u8 1 32-bit, 2 64-bit
 *     16  u64 features  24  u64 info        32  u16 max stack
 */
static int
read_header(struct data *d, struct in *in)
{
	const unsigned char *h;
	uint64_t version, size;

	if (in_fill(in, HEADER_SIZE) < HEADER_SIZE ||
	    memcmp(in->p, "Ftrace!", 8) != 0) {
		if (!in_failed(in))
			msg("%s/info: no uftrace header", d->dir);
		return -1;
	}
	h = (const unsigned char *)in->p;
	d->big = h[14] == 2;
	d->lp64 = h[15] != 1;
	version = bytes(h + 8, 4, d->big);
	size = bytes(h + 12, 2, d->big);
	if (version < VERSION_MIN || version > VERSION_MAX) {
		msg("%s/info: version %llu; known are %d to %d", d->dir,
		    (unsigned long long)version, VERSION_MIN, VERSION_MAX);
		return -1;
	}
	d->relative = bytes(h + 16, 8, d->big) & FEAT_SYM_REL_ADDR;
	if (size < HEADER_SIZE || in_fill(in, size) < size)
		size = HEADER_SIZE;
	in->p += size;
	return 0;
}

static int
read_info(struct data *d)
{
	struct buf path = BUF_INIT;
	const char *line;
	char *operand;
	struct in in;
	size_t len;
	int rc;

	open_file(d, "info", &path, &operand, &in);
	rc = read_header(d, &in);
	while (rc == 0 && in_next(&in, &line, &len))
		specs_line(d->specs, line, len, d->lp64);
	d->failed |= in_failed(&in);
	in_done(&in);
	buf_done(&path);
	return rc;
}

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

/* `timestamp=SECONDS.NANOSECONDS`; 0 when it is none. */
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

/* A session's id names a file, so nothing but letters and digits. */
static bool
is_sid(const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char c = p[i];

		if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
			(c >= 'A' && c <= 'Z')))
			return false;
	}
	return len > 0 && len < 64;
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
	d->sessions =
	    xreallocn(d->sessions, d->n_sessions + 1, sizeof *d->sessions);
	d->sessions[d->n_sessions++] = s;
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

static bool
add_library(struct data *d, const char *line, size_t len)
{
	const char *sid, *base, *name;
	size_t sid_len, base_len, name_len;
	uint64_t addr;
	char *path;

	sid = value_of(line, len, "sid", &sid_len);
	base = value_of(line, len, "base", &base_len);
	name = value_of(line, len, "libname", &name_len);
	if (!sid || !base || !name || !is_sid(sid, sid_len) ||
	    num_hex(base, base_len, &addr))
		return false;
	path = xmemdup0(name, name_len);
	syms_dlopen(d->syms, syms_space(d->syms, sid, sid_len), addr, path);
	free(path);
	return true;
}

static bool
task_line(struct data *d, const char *line, size_t len)
{
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

static void
read_tasks(struct data *d)
{
	struct fault bad = {"line that is no task", 0};
	struct buf path = BUF_INIT;
	const char *line;
	char *operand;
	struct in in;
	size_t len;

	open_file(d, "task.txt", &path, &operand, &in);
	while (in_next(&in, &line, &len)) {
		if (len > 0 && line[len - 1] == '\r')
			len--;
		if (len && line[0] != '#' && !task_line(d, line, len))
			msg_fault(
			    &bad, &in, "no task: '%s'", msg_text(line, len));
	}
	d->failed |= in_failed(&in) || msg_fault_sum(&bad, 1) != 0;
	in_done(&in);
	buf_done(&path);
	if (d->n_sessions)
		qsort(d->sessions, d->n_sessions, sizeof *d->sessions,
		    by_pid_time);
	if (d->n_tasks)
		qsort(d->tasks, d->n_tasks, sizeof *d->tasks, by_tid);
}

/* `EVENT: ID PROVIDER:NAME` */
static void
read_events(struct data *d)
{
	struct buf path = BUF_INIT;
	const char *line;
	char *operand;
	struct in in;
	size_t len;

	buf_printf(&path, "%s/events.txt", d->dir);
	if (access(buf_str(&path), F_OK) != 0) {
		buf_done(&path);
		return;
	}
	open_file(d, "events.txt", &path, &operand, &in);
	while (in_next(&in, &line, &len)) {
		const char *p = line + 7, *blank;
		struct user_event e;

		if (len < 9 || memcmp(line, "EVENT: ", 7) != 0)
			continue;
		blank = memchr(p, ' ', len - 7);
		if (!blank || num_u64(p, (size_t)(blank - p), &e.id) ||
		    blank + 1 == line + len)
			continue;
		e.name = xmemdup0(blank + 1, (size_t)(line + len - blank - 1));
		d->events =
		    xreallocn(d->events, d->n_events + 1, sizeof *d->events);
		d->events[d->n_events++] = e;
	}
	d->failed |= in_failed(&in);
	in_done(&in);
	buf_done(&path);
}

int
data_open(struct data *d, const char *dir)
{
	memset(d, 0, sizeof *d);
	d->dir = dir;
	d->specs = specs_new();
	if (read_info(d) != 0)
		return -1;
	d->syms = syms_new(dir, d->relative, d->lp64);
	read_tasks(d);
	read_events(d);
	d->failed |= syms_failed(d->syms);
	return 0;
}

void
data_close(struct data *d)
{
	for (size_t i = 0; i < d->n_sessions; i++)
		free(d->sessions[i].exename);
	for (size_t i = 0; i < d->n_events; i++)
		free(d->events[i].name);
	free(d->sessions);
	free(d->tasks);
	free(d->events);
	specs_free(d->specs);
	syms_free(d->syms);
	memset(d, 0, sizeof *d);
}

static const struct task *
find_task(const struct data *d, uint64_t tid)
{
	const struct task key = {.tid = tid};

	if (d->n_tasks == 0)
		return NULL;
	return bsearch(&key, d->tasks, d->n_tasks, sizeof key, by_tid);
}

uint64_t
data_pid(const struct data *d, uint64_t tid)
{
	const struct task *t = find_task(d, tid);

	return t ? t->pid : tid;
}

static const struct session *
sessions_of(const struct data *d, uint64_t pid, size_t *n)
{
	size_t i = 0, k;

	while (i < d->n_sessions && d->sessions[i].pid != pid)
		i++;
	for (k = i; k < d->n_sessions && d->sessions[k].pid == pid;)
		k++;
	*n = k - i;
	return d->sessions + i;
}

const struct session *
data_sessions(const struct data *d, uint64_t tid, size_t *n)
{
	const struct session *s;
	uint64_t id = tid;

	/* A chain of parents longer than there are tasks runs in a circle. */
	for (size_t hops = 0; hops <= d->n_tasks; hops++) {
		const struct task *t = find_task(d, id);

		s = sessions_of(d, t ? t->pid : id, n);
		if (*n)
			return s;
		if (t == NULL || (t->ppid == 0 && t->pid == id))
			break;
		id = t->ppid ? t->ppid : t->pid;
	}
	*n = d->n_sessions ? 1 : 0;
	return d->sessions;
}
