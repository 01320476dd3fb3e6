/* SPDX-License-Identifier: ISC */
/*
 * The folder of results: one run at a time works on it, below it in a folder
 * with a name of its own, which is renamed before it is removed. What a killed
 * run may have left at work somewhere finds its folder gone and makes nothing.
 */
#include <inttypes.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "batch.h"
#include "base/msg.h"
#include "base/xalloc.h"

static int
remove_one(const char *path, const struct stat *st, int type, struct FTW *f)
{
	(void)st;
	(void)type;
	(void)f;
	(void)remove(path);
	return 0;
}

static void
remove_tree(const char *path)
{
	(void)nftw(path, remove_one, 32, FTW_DEPTH | FTW_PHYS);
}

/* Takes the folders of runs away: this one's, and those of killed ones. */
static void
remove_runs(const char *kst)
{
	DIR *d = opendir(kst);
	struct dirent *e;
	struct buf path = BUF_INIT, old = BUF_INIT;

	while (d && (e = readdir(d))) {
		bool is_old = strncmp(e->d_name, "old-", 4) == 0;

		if (!is_old && strncmp(e->d_name, "run-", 4) != 0)
			continue;
		path.len = old.len = 0;
		buf_printf(&path, "%s/%s", kst, e->d_name);
		buf_printf(&old, "%s/old-%s", kst, e->d_name + 4);
		if (is_old || rename(buf_str(&path), buf_str(&old)) == 0)
			remove_tree(buf_str(&old));
	}
	if (d)
		closedir(d);
	buf_done(&path);
	buf_done(&old);
}

/* One run at a time on a folder of results: another one waits. */
static int
lock(const char *kst)
{
	struct buf path = BUF_INIT;
	int fd;

	buf_printf(&path, "%s/lock", kst);
	fd = open(buf_str(&path), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
		msg("another kst-batch is at work there: waiting");
		while (!batch_signal && flock(fd, LOCK_EX) != 0)
			if (errno != EINTR) {
				close(fd);
				fd = -1;
				break;
			}
	}
	buf_done(&path);
	return fd;
}

static int
make_dirs(struct batch *b, const char *kst)
{
	static const char *const below[] = {
	    "", "/jobs", "/tmp", "/parts", "/parallel"};
	struct buf path = BUF_INIT;
	int status = 0;

	buf_printf(&b->dir, "%s/run-%ld-%" PRIx64, kst, (long)getpid(),
	    (uint64_t)time(NULL));
	buf_str(&b->dir);
	for (size_t i = 0; i < sizeof below / sizeof *below && !status; i++) {
		path.len = 0;
		buf_printf(&path, "%s%s", b->dir.p, below[i]);
		status = mkdir(buf_str(&path), 0777);
	}
	buf_done(&path);
	return status;
}

/* What the workers of this pass are told. */
static int
write_run(const struct batch *b)
{
	struct buf path = BUF_INIT, text = BUF_INIT;
	struct run local = {.cwd = b->cwd, .steps = b->o->steps};
	struct run sent = {.cwd = (char *)"."};
	bool send = b->remote && b->o->send;
	int status = send ? hosts_send_steps(b, &sent.steps) : 0;

	run_write(&text, send ? &sent : &local);
	buf_printf(&path, "%s/run", b->dir.p);
	if (status == 0)
		status = file_write(buf_str(&path), text.p, text.len);
	steps_done(&sent.steps);
	buf_done(&text);
	buf_done(&path);
	return status;
}

/* The captures, on all machines. */
static int
make_captures(struct batch *b)
{
	int status;

	if (b->to_make == 0)
		return 0;
	if (b->o->hosts) {
		b->remote = true;
		if (hosts_check(b) != 0)
			return -1;
		if (b->n_hosts == 0) {
			msg("no host is left to work on");
			b->broken = true;
			b->remote = false;
			return 0;
		}
	}
	status = write_run(b) != 0 || plan_jobs(b) != 0 || jobs_run(b) != 0;
	if (b->remote && b->o->send)
		hosts_clean(b);
	b->remote = false;
	return status ? -1 : 0;
}

/* The captures, then the sums of their parts, then those of groups. */
static int
make_all(struct batch *b)
{
	if (make_captures(b) != 0 || write_run(b) != 0)
		return -1;
	if (b->parts.n > 0 && !batch_signal &&
	    (sums_jobs(b, &b->parts) != 0 || jobs_run(b) != 0))
		return -1;
	if (batch_signal)
		return 0;
	sums_plan(b);
	if (b->sums.n > 0 && (sums_jobs(b, &b->sums) != 0 || jobs_run(b) != 0))
		return -1;
	return 0;
}

static void
find_items(struct batch *b, char **operands, int n)
{
	struct buf svg = BUF_INIT;
	const char *own[5] = {b->out};
	size_t k = 1;

	if (b->o->merge) {
		sums_svg_name(&svg, b->o->merge);
		own[k++] = b->o->merge;
		own[k++] = buf_str(&svg);
	}
	if (b->o->joblog)
		own[k] = b->o->joblog;
	items_find(&b->items, operands, n, own);
	items_check(&b->items);
	buf_done(&svg);
}

static int
list_items(struct batch *b, char **operands, int n)
{
	find_items(b, operands, n);
	b->state = state_open(b->out, false);
	state_load(b->state, &b->items);
	plan_items(b);
	if (b->o->dry_run)
		sums_plan(b);
	report_list(b);
	return b->items.unreadable ? EXIT_FAILED : EXIT_OK;
}

static int
run_locked(struct batch *b, const char *kst, char **operands, int n)
{
	remove_runs(kst);
	find_items(b, operands, n);
	b->state = state_open(b->out, true);
	if (b->state == NULL) {
		msg_errno("%s/state", msg_str(kst));
		return EXIT_FAILED;
	}
	state_load(b->state, &b->items);
	plan_items(b);
	if (make_dirs(b, kst) != 0 || make_all(b) != 0) {
		msg_errno("%s", msg_str(kst));
		b->broken = true;
	}
	remove_runs(kst);
	return report_end(b);
}

int
batch_run(struct batch *b, char **operands, int n)
{
	struct buf kst = BUF_INIT, path = BUF_INIT;
	int fd, status;

	if (*b->o->out != '/')
		buf_printf(&path, "%s/", b->cwd);
	buf_adds(&path, b->o->out);
	b->out = buf_str(&path);
	buf_printf(&kst, "%s/.kst-batch/", b->out);
	if (b->o->dry_run || b->o->list) {
		status = list_items(b, operands, n);
	} else {
		if (make_parents(buf_str(&kst)) != 0)
			msg_die(EXIT_FAILED, "%s: %s", msg_str(b->o->out),
			    strerror(errno));
		kst.len--;
		fd = lock(buf_str(&kst));
		if (fd < 0)
			msg_die(EXIT_FAILED, "%s/lock: %s",
			    msg_text(kst.p, kst.len), strerror(errno));
		status = batch_signal ? EXIT_FAILED
				      : run_locked(b, kst.p, operands, n);
		close(fd);
	}
	if (b->state)
		state_close(b->state);
	buf_done(&kst);
	buf_done(&path);
	return status;
}
