/* SPDX-License-Identifier: ISC */
/*
 * Units of work put together to jobs: a job takes some seconds, so that what
 * it costs to start one does not count, and there are many for each worker.
 */
#include <inttypes.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch.h"
#include "base/msg.h"
#include "base/xalloc.h"

/*
 * What a unit costs beside its bytes, and a job at least: some milliseconds,
 * put as bytes that are folded in that time. An early job is what is folded
 * while GNU parallel begins.
 */
static const uint64_t unit_cost = 256 << 10, job_min = 8 << 20;
static const uint64_t early_cost = 64 << 20;

/* How much of a worker's share the last jobs are, if that is more. */
enum { LAST_JOBS = 32 };

/*
 * A login costs more, but a machine that is lost is lost with its jobs: of
 * these each worker has a number.
 */
static const uint64_t remote_min = 64 << 10, remote_max = 512 << 20;
enum { SHARES_REMOTE = 4 };

/*
 * The next job's size: a part of what is left, so that jobs become smaller
 * and all workers end at the same time; one worker has one job.
 */
static void
next_target(struct batch *b)
{
	uint64_t share = b->cost_left / b->jobs_wide;

	if (b->remote)
		return;
	share -= share / 4;
	if (b->jobs + 1 < b->jobs_wide && share > early_cost)
		share = early_cost;
	b->job_target = share > b->job_least ? share : b->job_least;
	if (b->jobs_wide == 1)
		b->job_target = UINT64_MAX;
}

void
jobs_begin(struct batch *b, uint64_t bytes, uint64_t units)
{
	b->n_units = 0;
	b->jobs = b->early = 0;
	b->job.len = b->job_list.len = 0;
	b->job_cost = 0;
	b->cost_left = bytes + units * unit_cost;
	b->job_least = b->cost_left / (b->jobs_wide * LAST_JOBS);
	if (b->job_least < job_min)
		b->job_least = job_min;
	if (b->remote) {
		b->job_target =
		    b->cost_left / (b->jobs_wide * b->n_hosts * SHARES_REMOTE);
		if (b->job_target < remote_min)
			b->job_target = remote_min;
		if (b->job_target > remote_max)
			b->job_target = remote_max;
	}
	next_target(b);
}

static bool
sent(const struct batch *b)
{
	return b->remote && b->o->send;
}

/* Whether the job at hand can be; with a large capture in it, it cannot. */
static bool
is_early(const struct batch *b)
{
	return !b->remote && b->early < b->jobs_wide &&
	       b->job_cost < 2 * early_cost;
}

/*
 * All jobs are early, if there is one for each worker at most: nobody is needed
 * to share them out. Else one processor is for GNU parallel.
 */
static void
choose_early(struct batch *b)
{
	if (!b->remote && b->jobs == 1)
		b->early = 1;
	else if (b->early == b->jobs_wide && b->early < b->jobs)
		b->early--;
}

static int
write_job(struct batch *b)
{
	struct buf path = BUF_INIT;
	int status;

	if (b->job.len == 0)
		return 0;
	b->jobs_all++;
	buf_printf(&path, "%s/jobs/%" PRIu64 "%s", b->dir.p, b->jobs_all,
	    sent(b) ? "/job" : "");
	status = file_write(buf_str(&path), b->job.p, b->job.len);
	buf_printf(&b->job_list, "%" PRIu64 "\n", b->jobs_all);
	if (b->early == b->jobs && is_early(b))
		b->early++;
	b->jobs++;
	b->job.len = 0;
	b->cost_left -= b->job_cost < b->cost_left ? b->job_cost : b->cost_left;
	b->job_cost = 0;
	next_target(b);
	buf_done(&path);
	return status;
}

int
jobs_add(
    struct batch *b, struct unit *u, uint64_t bytes, const struct unit_ref *ref)
{
	b->units =
	    xgrow(b->units, b->n_units + 1, &b->units_cap, sizeof *b->units);
	u->id = b->n_units;
	b->units[b->n_units] = *ref;
	b->units[b->n_units++].job = b->jobs_all + 1;
	unit_write(&b->job, u);
	b->job_cost += bytes + unit_cost;
	if (b->job_cost < b->job_target)
		return 0;
	return write_job(b);
}

/* What had no result: its worker was lost, and all that was tried for it. */
static void
report_lost(struct batch *b)
{
	for (size_t i = 0; i < b->n_units; i++) {
		struct result r = {.id = i, .status = RESULT_FAILED};
		char text[] = "its worker ended without a result";
		struct buf m = BUF_INIT;
		const struct unit_ref *u = &b->units[i];

		if (u->done)
			continue;
		buf_printf(&m, "%s: %s\n",
		    u->item ? item_name(b, u->item) : u->sum->folded, text);
		r.host = text + sizeof text - 1;
		r.messages = buf_str(&m);
		report_result(b, &r);
		buf_done(&m);
	}
}

/* The jobs of which something is not done, instead of all. */
static void
list_undone(struct batch *b)
{
	uint64_t last = 0;

	b->job_list.len = 0;
	b->jobs = 0;
	for (size_t i = 0; i < b->n_units; i++) {
		if (b->units[i].done || b->units[i].job == last)
			continue;
		last = b->units[i].job;
		buf_printf(&b->job_list, "%" PRIu64 "\n", last);
		b->jobs++;
	}
}

int
jobs_run(struct batch *b)
{
	struct buf list = BUF_INIT;
	int status = write_job(b);

	choose_early(b);
	buf_printf(&list, "%s/list", b->dir.p);
	/* what other machines have lost is given to those that answer still */
	for (b->tries = b->remote ? 3 : 1; status == 0 && b->tries > 0;) {
		b->tries--;
		if (b->jobs == 0 || (b->remote && b->n_hosts == 0))
			break;
		status =
		    file_write(buf_str(&list), b->job_list.p, b->job_list.len);
		if (status == 0)
			status = parallel_run(b, list.p);
		list_undone(b);
		if (status == 0 && b->jobs > 0 && b->tries > 0 && !batch_signal)
			status = hosts_check(b);
	}
	if (status == 0 && !batch_signal)
		report_lost(b);
	buf_done(&list);
	return status;
}
