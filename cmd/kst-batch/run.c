/* SPDX-License-Identifier: ISC */
/*
 * The folder of results. One run at a time uses it, with a folder of its own
 * below it, which is renamed before it is removed: a worker that a killed run
 * left finds its folder gone.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/msg.h"
#include "batch.h"

volatile int batch_signal;

static void
on_signal(int n)
{
	batch_signal = n;
}

static void
watch_signals(void)
{
	struct sigaction sa = {.sa_handler = on_signal};

	sigaction(SIGINT, &sa, NULL);
	sigaction(SIGTERM, &sa, NULL);
	sigaction(SIGHUP, &sa, NULL);
}

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

/* Removes the folders of this run and of killed ones. */
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

/* Waits while another run uses the folder of results. */
static int
lock(const char *kst)
{
	struct buf path = BUF_INIT;
	int fd;

	buf_printf(&path, "%s/lock", kst);
	fd = open(buf_str(&path), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0) {
		msg("another kst-batch works there: waiting");
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
	struct buf path = BUF_INIT;
	int status;

	buf_printf(&b->dir, "%s/run-%ld-%" PRIx64, kst, (long)getpid(),
	    (uint64_t)time(NULL));
	status = mkdir(buf_str(&b->dir), 0777);
	buf_printf(&path, "%s/parallel", b->dir.p);
	if (status == 0)
		status = mkdir(buf_str(&path), 0777);
	buf_done(&path);
	return status;
}

/* The script for the workers of this pass. */
static int
write_script(const struct batch *b)
{
	struct steps sent = {0};
	int status;

	if (!b->remote || !b->o->send)
		return script_write(b, &b->o->steps);
	status = hosts_send_steps(b, &sent);
	if (status == 0)
		status = script_write(b, &sent);
	steps_done(&sent);
	return status;
}

/* The captures, on all machines. */
static int
make_captures(struct batch *b)
{
	int status;

	if (b->to_make == 0)
		return 0;
	b->remote = b->o->hosts != NULL;
	status = write_script(b) != 0 || plan_jobs(b) != 0 || jobs_run(b) != 0;
	if (b->remote && b->o->send)
		hosts_clean(b);
	b->remote = false;
	return status ? -1 : 0;
}

/* The captures, then the sums of their parts, then those of groups. */
static int
make_all(struct batch *b)
{
	if (make_captures(b) != 0 || write_script(b) != 0)
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

/*
 * A sum replaces only an earlier sum, which the state knows. The sum to come is
 * put into the state at once, in case this run is killed.
 */
static void
claim_merge(struct batch *b)
{
	struct buf path = BUF_INIT, svg = BUF_INIT, rel = BUF_INIT;
	struct stat st;
	const char *other = NULL;

	sums_merge_name(b, &path, &rel);
	sums_svg_name(&svg, path.p);
	if (state_find(b->state, rel.p) == NULL) {
		if (stat(path.p, &st) == 0)
			other = path.p;
		else if (b->svg_key && stat(buf_str(&svg), &st) == 0)
			other = svg.p;
	}
	if (other && !b->o->force)
		msg_die(EXIT_USAGE,
		    "--merge: %s is there, and not a sum that was written "
		    "with this -o; --force replaces it",
		    msg_str(other));
	if (state_find(b->state, rel.p) == NULL &&
	    state_put(b->state, &(struct made){.rel = rel.p}) != 0)
		b->unmade = true;
	buf_done(&path);
	buf_done(&svg);
	buf_done(&rel);
}

/* Lines of GNU parallel's log begin with a number and a tab. */
void
batch_check_log(const char *path)
{
	FILE *f = fopen(path, "re");
	char tab;

	if (f && fscanf(f, "%*u%c", &tab) != EOF && tab != '\t')
		opt_wrong(
		    "--joblog: '%s' is another kind of file", msg_str(path));
	if (f)
		fclose(f);
}

static int
list_items(struct batch *b, char **operands)
{
	items_find(b, operands);
	b->state = state_open(b->out, false);
	state_load(b->state, &b->items);
	plan_items(b);
	if (b->o->dry_run)
		sums_plan(b);
	report_list(b);
	return b->items.unreadable ? EXIT_FAILED : EXIT_OK;
}

static int
run_locked(struct batch *b, const char *kst, char **operands)
{
	remove_runs(kst);
	items_find(b, operands);
	b->state = state_open(b->out, true);
	if (b->state == NULL) {
		msg_errno("%s/state", msg_str(kst));
		return EXIT_SYSTEM;
	}
	if (b->o->merge)
		claim_merge(b);
	state_load(b->state, &b->items);
	plan_items(b);
	if (make_dirs(b, kst) != 0 || make_all(b) != 0) {
		msg_errno("%s", msg_str(kst));
		b->unmade = true;
	}
	remove_runs(kst);
	return report_end(b);
}

int
batch_run(struct batch *b, char **operands)
{
	struct buf kst = BUF_INIT, path = BUF_INIT;
	int fd, status;

	if (*b->o->out != '/')
		buf_printf(&path, "%s/", b->cwd);
	buf_adds(&path, b->o->out);
	b->out = buf_str(&path);
	buf_printf(&kst, "%s/.kst-batch/", b->out);
	watch_signals();
	if (b->o->dry_run || b->o->list) {
		status = list_items(b, operands);
	} else {
		if (make_parents(buf_str(&kst)) != 0)
			msg_die(EXIT_SYSTEM, "%s: %s", msg_str(b->o->out),
			    strerror(errno));
		kst.len--;
		fd = lock(buf_str(&kst));
		if (fd < 0)
			msg_die(EXIT_SYSTEM, "%s/lock: %s",
			    msg_text(kst.p, kst.len), strerror(errno));
		status =
		    batch_signal ? EXIT_SYSTEM : run_locked(b, kst.p, operands);
		close(fd);
	}
	if (b->state)
		state_close(b->state);
	buf_done(&kst);
	buf_done(&path);
	return status;
}

void
batch_done(struct batch *b)
{
	items_done(&b->items);
	sums_done(&b->parts);
	sums_done(&b->sums);
	free(b->units);
	free(b->cwd);
	buf_done(&b->job.text);
	buf_done(&b->dir);
}
