/* SPDX-License-Identifier: ISC */
/*
 * The folder of results. One run at a time uses it, with a folder of its own
 * below it, which is renamed before it is removed: a worker that a killed run
 * left finds its folder gone.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "set/intern.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "io/job.h"
#include "batch.h"

/* Removes the folders of this run and of killed ones. */
static void
remove_runs(const struct batch *b)
{
	struct buf command = BUF_INIT;

	buf_adds(&command, "cd ");
	buf_quote(&command, b->kst);
	buf_adds(&command, "&& { for d in run-*; do mv \"$d\" \"old-$d\"; "
			   "done 2>/dev/null; rm -rf old-*; }");
	if (system(buf_str(&command)) != 0)
		msg("%s: a folder of an earlier run cannot be removed",
		    msg_str(b->kst));
	buf_done(&command);
}

/* Waits while another run uses the folder of results; holds it to our end. */
static int
lock(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	msg("waiting for another kst-batch that writes to the same folder");
	while (job_asked() == 0 && flock(fd, LOCK_EX | LOCK_NB) != 0)
		if (errno != EWOULDBLOCK && errno != EINTR)
			return -1;
		else
			poll(NULL, 0, 20);
	return fd;
}

/* Those that are not done. */
static size_t
undone(struct item **v, size_t n)
{
	size_t left = 0;

	for (size_t k = 0; k < n; k++)
		if (!v[k]->done)
			v[left++] = v[k];
	return left;
}

/* On hosts; *n are left. */
static int
make_remote(struct batch *b, struct item **v, size_t *n)
{
	double cpu = batch_cpu();
	size_t all = *n;
	int status;

	b->remote = true;
	status = hosts_run(b, v, all);
	*n = undone(v, all);
	if (*n == 0)
		report_measured(b, v, all, cpu);
	else if (status == 0 && job_asked() == 0)
		msg("%zu capture%s made on this machine: no host did %s", *n,
		    *n == 1 ? " is" : "s are", *n == 1 ? "it" : "them");
	b->remote = false;
	return status;
}

/* Makes those of the items that are out of date; what hosts leave, here. */
static int
make_items(struct batch *b, struct items *t)
{
	struct item **v = xcalloc(t->n + 1, sizeof *v);
	size_t n = 0;
	int status = 0;

	for (size_t k = 0; k < t->n; k++)
		if (t->v[k].why != WHY_NOT)
			v[n++] = &t->v[k];
	if (n > 0 && b->o->hosts && t == &b->items)
		status = make_remote(b, v, &n);
	if (n > 0 && status == 0 && job_asked() == 0) {
		double cpu = batch_cpu();

		pass_run(b, v, n);
		report_measured(b, v, n, cpu);
	}
	free(v);
	return status;
}

/*
 * A sum replaces only an earlier sum, which the state knows. The sum to come is
 * put into the state at once, in case this run is killed.
 */
static void
claim_merge(struct batch *b)
{
	const char *path = b->o->merge, *rel = sums_merge_rel(b);
	struct stat st;

	if (state_knows(b->state, rel))
		return;
	if (stat(path, &st) != 0 && errno != ENOENT && errno != ENOTDIR)
		msg_die(EXIT_SYSTEM, "%s: %s", msg_str(path), strerror(errno));
	if (stat(path, &st) != 0)
		path = b->svg_key ? path_picture(path) : NULL;
	if (path && stat(path, &st) == 0 && !b->o->force)
		msg_die(EXIT_USAGE,
		    "--merge: %s exists, and no run with this -o wrote "
		    "it; --force replaces it",
		    msg_str(path));
	if (state_put(b->state, rel, &(struct outcome){.key = 0}) != 0)
		b->unmade = true;
}

/* Lines of GNU parallel's log begin with a number and a tab. */
bool
batch_is_log(const char *path)
{
	FILE *f = fopen(path, "re");
	char tab = 0;
	bool is = f == NULL || fscanf(f, "%*u%c", &tab) == EOF || tab == '\t';

	if (f)
		fclose(f);
	return is;
}

static int
list_items(struct batch *b)
{
	if (b->o->dry_run)
		sums_plan(b);
	report_list(b);
	if (b->o->dry_run && !b->o->quiet)
		report_cost(b);
	return b->unreadable ? EXIT_FAILED : EXIT_OK;
}

static int
make_all(struct batch *b)
{
	int status = mkdir(b->dir, 0777);

	if (status == 0)
		status = make_items(b, &b->items);
	if (status == 0 && job_asked() == 0) {
		sums_plan(b);
		status = make_items(b, &b->sums);
	}
	if (status != 0) {
		msg_errno("%s", msg_str(b->kst));
		b->unmade = true;
	}
	remove_runs(b);
	return report_end(b);
}

int
batch_run(struct batch *b, char **operands)
{
	const bool to_make = !b->o->dry_run && !b->o->list;
	const char *path;

	if (b->o->work)
		return hosts_work(b);
	b->out = words_addf(&b->texts, "%s", path_absolute(b, b->o->out));
	b->kst = words_addf(&b->texts, "%s/.kst-batch", b->out);
	b->dir = words_addf(&b->texts, "%s/run-%ld-%" PRIx64, b->kst,
	    (long)getpid(), (uint64_t)time(NULL));
	path = text_of("%s/lock", b->kst);
	if (to_make && (make_parents(path) != 0 || lock(path) < 0))
		msg_die(EXIT_SYSTEM, "%s: %s", msg_str(path), strerror(errno));
	if (job_asked() > 0)
		return EXIT_SYSTEM;
	if (to_make)
		remove_runs(b);
	items_find(b, operands);
	if (state_open(b->out, to_make, &b->state) != 0) {
		msg_errno("%s/state", msg_str(b->kst));
		return EXIT_SYSTEM;
	}
	if (to_make && b->o->merge)
		claim_merge(b);
	for (size_t k = 0; k < b->items.n; k++) {
		state_load(b->state, &b->items.v[k]);
		plan_item(b, &b->items.v[k]);
	}
	return to_make ? make_all(b) : list_items(b);
}

void
batch_done(struct batch *b)
{
	if (b->state)
		state_close(b->state);
	intern_free(b->outputs);
	intern_free(b->lacking);
	items_done(&b->items);
	items_done(&b->sums);
	free(b->cwd);
	words_done(&b->texts);
}
