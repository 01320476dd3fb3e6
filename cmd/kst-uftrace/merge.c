/* SPDX-License-Identifier: ISC */
/* A heap of threads by the time of their next record. */
#include "merge.h"

#include "emit.h"
#include "forks.h"
#include "thread.h"
#include "io/fault.h"
#include "base/msg.h"

#include <inttypes.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/xalloc.h"
#include "folder/lines.h"
#include "folder/folder.h"
#include "text/range.h"
#include "set/bound.h"

/* For all buffers together, and bounds for each. */
enum { BUFS = 16 << 20, BUF_MIN = 1 << 14, BUF_MAX = 1 << 18 };

struct threads {
	struct thread *v; /* by task id */
	size_t n;
	struct fault resync;
	bool failed;
};

/* `PREFIX`, a number, `.dat` */
static bool
is_dat(const char *name, const char *prefix, uint64_t *number)
{
	size_t len = strlen(name), n = strlen(prefix);

	return len > n + 4 && memcmp(name, prefix, n) == 0 &&
	       strcmp(name + len - 4, ".dat") == 0 &&
	       num_u64(name + n, len - n - 4, number) == 0;
}

static void
add_thread(struct threads *ts, uint64_t tid, char *path)
{
	ts->v = xreallocn(ts->v, ts->n + 1, sizeof *ts->v);
	ts->v[ts->n++] = (struct thread){.tid = tid, .dat.path = path};
}

static void
find_files(struct threads *ts, const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *ent;
	uint64_t number;
	bool kernel = false;

	if (d == NULL) {
		msg_errno("%s", msg_str(dir));
		ts->failed = true;
		return;
	}
	while (errno = 0, (ent = readdir(d)) != NULL) {
		const char *name = ent->d_name;

		if (is_dat(name, "", &number))
			add_thread(ts, number, lines_path(dir, name));
		else if (is_dat(name, "kernel-cpu", &number))
			kernel = true;
	}
	if (errno) {
		msg_errno("%s", msg_str(dir));
		ts->failed = true;
	}
	closedir(d);
	if (kernel)
		msg("%s: the events of the kernel (kernel-cpuN.dat, of "
		    "'uftrace record -k') are left out",
		    msg_str(dir));
	if (ts->n) {
		qsort(ts->v, ts->n, sizeof *ts->v, bound_compare);
	} else {
		msg("%s: no .dat files", msg_str(dir));
		ts->failed = true;
	}
}

/*
 * QEMU's plugin names its sessions after the CPU (`cpu0`, `cpu0 Ring3`), each
 * with one task; a program's session has its path and all its threads.
 */
static void
name_thread(struct emit *e, struct thread *t)
{
	uint64_t until;
	const struct session *s =
	    data_session_at(e->data, t->tid, UINT64_MAX, &until);
	const char *exe = s && *s->exename ? s->exename : "task";
	const char *slash = strrchr(exe, '/');
	struct buf b = BUF_INIT;

	if (slash)
		exe = slash + 1;
	buf_adds(&b, exe);
	if (slash || s == NULL || s->pid != t->tid ||
	    strncmp(exe, "cpu", 3) != 0)
		buf_printf(&b, "/%" PRIu64, t->tid);
	emit_name(t, buf_str(&b));
	buf_done(&b);
}

/* Finds the .dat files. */
static void
threads_open(struct threads *ts, struct emit *e)
{
	const char *dir = e->data->dir;
	size_t size;

	ts->resync.what =
	    "damaged places that were skipped to find the next record";
	find_files(ts, dir);
	size = ts->n ? BUFS / ts->n : BUF_MAX;
	size = size < BUF_MIN ? BUF_MIN : size > BUF_MAX ? BUF_MAX : size;
	for (size_t i = 0; i < ts->n; i++) {
		struct thread *t = &ts->v[i];

		dat_init(&t->dat, t->dat.path, e->data->big, size);
		t->dat.resync = &ts->resync;
		name_thread(e, t);
	}
}

static void
threads_close(struct threads *ts)
{
	for (size_t i = 0; i < ts->n; i++) {
		dat_done(&ts->v[i].dat);
		free(ts->v[i].calls.data);
		free(ts->v[i].line);
	}
	free(ts->v);
}

/* By time, then by task number, as in the array. */
static bool
is_before(const struct thread *a, const struct thread *b)
{
	if (a->dat.time != b->dat.time)
		return a->dat.time < b->dat.time;
	return a < b;
}

static void
sift_down(struct thread **heap, size_t n, size_t i)
{
	struct thread *t = heap[i];

	for (size_t k; (k = 2 * i + 1) < n; i = k) {
		if (k + 1 < n && is_before(heap[k + 1], heap[k]))
			k++;
		if (is_before(t, heap[k]))
			break;
		heap[i] = heap[k];
	}
	heap[i] = t;
}

/* Reports what could not be read. */
static void
report(struct threads *ts)
{
	for (size_t i = 0; i < ts->n; i++)
		ts->failed |= in_failed(&ts->v[i].dat.in);
	ts->failed |= fault_sum(&ts->resync, 1) != 0;
}

/* Tells the range which event is the first. */
static void
begin_range(const struct threads *ts, struct emit *e)
{
	uint64_t first = UINT64_MAX;

	for (size_t i = 0; i < ts->n; i++)
		if (ts->v[i].dat.n && ts->v[i].dat.time < first)
			first = ts->v[i].dat.time;
	range_begin(e->range, first);
	e->quiet = true;
}

/* All threads' records are in the range, or after it. */
static void
enter_range(struct threads *ts, struct emit *e)
{
	e->quiet = false;
	for (size_t i = 0; i < ts->n; i++)
		if (ts->v[i].more)
			thread_enter_range(e, &ts->v[i]);
}

/* Writes all records by time; each track keeps its own order. */
static void
merge(struct threads *ts, struct thread **heap, size_t n, struct emit *e)
{
	for (size_t i = n / 2; i-- > 0;)
		sift_down(heap, n, i);
	while (n > 0) {
		struct thread *t = heap[0];

		if (e->quiet && t->dat.time >= e->range->from)
			enter_range(ts, e);
		/* before the range, only forks need the order */
		while (thread_next(e, t) && e->quiet && !thread_is_kin(t) &&
		       t->dat.time < e->range->from)
			;
		if (!t->more)
			heap[0] = heap[--n];
		if (n)
			sift_down(heap, n, 0);
	}
}

bool
merge_records(const struct data *d, struct range *range)
{
	struct threads ts = {0};
	struct emit e;
	struct thread **heap;
	struct forks forks = {0};
	size_t n = 0;

	emit_init(&e, d, range);
	threads_open(&ts, &e);
	heap = xcalloc(ts.n + 1, sizeof *heap);
	for (size_t i = 0; i < ts.n; i++) {
		ts.v[i].more = dat_next(&ts.v[i].dat);
		if (ts.v[i].more)
			heap[n++] = &ts.v[i];
	}
	if (range)
		begin_range(&ts, &e);
	forks_find(&forks, d, ts.v, ts.n);
	/* the plugin of QEMU closes calls itself */
	e.follows = d->depths || range || forks.n;
	merge(&ts, heap, n, &e);
	report(&ts);
	forks_done(&forks);
	free(heap);
	threads_close(&ts);
	emit_done(&e);
	return !ts.failed;
}
