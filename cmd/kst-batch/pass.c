/* SPDX-License-Identifier: ISC */
/* Makes items on this machine: hands out pieces to lanes, until all are done.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/xalloc.h"
#include "io/job.h"
#include "batch.h"

/* Nanoseconds between two looks at what else may have happened. */
enum { LOOK = 20000000 };

struct pass {
	struct batch *b;
	struct item **v;
	size_t n, next, done; /* items, begun, done */
	struct lane **lane;
	struct task **task; /* begun and not done */
	size_t n_tasks, cap;
	size_t alone, drawing; /* of these: not for lanes; with a picture */
	struct pollfd *poll;
	sigset_t waiting;
};

static int
by_work(const void *a, const void *b)
{
	const struct item *x = *(struct item *const *)a,
			  *y = *(struct item *const *)b;

	if (x->work == y->work)
		return strcmp(x->rel, y->rel);
	return x->work < y->work ? 1 : -1;
}

static void
show(struct batch *b)
{
	static double last;
	double now = b->bar ? batch_now() : 0;

	b->n_done++;
	if (now - last < 0.1)
		return;
	last = now;
	fprintf(stderr, "\r%zu of %zu\033[K", b->n_done, b->n_pass);
}

static struct task *
begin(struct pass *p)
{
	struct item *i = p->v[p->next++];
	struct task *t = task_begin(p->b, i, p->next);

	if (t)
		return *xpush(p->task, p->n_tasks, p->cap) = t;
	report_failed(p->b, i, strerror(errno));
	p->done++;
	return NULL;
}

/* The next piece that the lane takes, if it is to have one. */
static bool
give(struct pass *p, struct lane *l)
{
	size_t piece;

	for (size_t k = 0; k < p->n_tasks; k++)
		if (lane_takes(l, p->task[k]) &&
		    task_piece(p->task[k], &piece)) {
			lane_give(l, p->task[k], piece);
			return true;
		}
	return false;
}

/* Whether a piece waits for a lane, which the task's shape may keep away. */
static bool
any_waits(const struct pass *p)
{
	for (size_t k = 0; k < p->n_tasks; k++)
		if (p->task[k]->next < p->task[k]->n || p->task[k]->n_again)
			return true;
	return false;
}

/* Begins items and hands out pieces, as many as there are processors for. */
static void
feed(struct pass *p)
{
	for (size_t k = 0; k + p->alone < p->b->workers; k++) {
		while (give(p, p->lane[k]))
			;
		while (p->next < p->n && !any_waits(p) &&
		       k + p->alone < p->b->workers) {
			struct task *t = begin(p);

			if (t && t->n == 0)
				p->alone++;
			else if (t)
				while (give(p, p->lane[k]))
					;
		}
	}
}

/* Goes on with each task; counts those that lanes do not work on. */
static void
step(struct pass *p)
{
	size_t n = 0;

	p->alone = p->drawing = 0;
	for (size_t k = 0; k < p->n_tasks; k++)
		p->drawing += p->task[k]->at == DRAWING;
	for (size_t k = 0; k < p->n_tasks; k++) {
		struct task *t = p->task[k];
		bool drew = t->at == DRAWING;

		if (task_step(p->b, t, p->drawing < p->b->workers)) {
			task_free(t);
			show(p->b);
			p->done++;
			continue;
		}
		p->drawing += !drew && t->at == DRAWING;
		p->alone += t->at != READING || t->n == 0;
		p->task[n++] = t;
	}
	p->n_tasks = n;
}

/* Until a filter says something, a process ends, or a moment has gone by. */
static void
wait_for_any(struct pass *p)
{
	const struct timespec look = {.tv_nsec = LOOK};
	size_t n = 0;

	for (size_t k = 0; k < p->b->workers; k++)
		n += lane_poll(p->lane[k], p->poll + n);
	(void)ppoll(p->poll, (nfds_t)n, &look, &p->waiting);
	for (size_t k = 0; k < p->b->workers; k++)
		lane_step(p->lane[k]);
}

void
pass_run(struct batch *b, struct item **v, size_t n)
{
	struct pass p = {.b = b, .v = v, .n = n};

	b->n_pass = n;
	b->n_done = 0;
	qsort(v, n, sizeof *v, by_work);
	p.lane = xcalloc(b->workers, sizeof *p.lane);
	p.poll = xcalloc(b->workers * STEP_SVG, sizeof *p.poll);
	for (size_t k = 0; k < b->workers; k++)
		p.lane[k] = lane_new(b);
	sigprocmask(SIG_BLOCK, NULL, &p.waiting);
	sigdelset(&p.waiting, SIGCHLD);
	while (p.done < n && job_asked() == 0 && !b->gone) {
		feed(&p);
		step(&p);
		if (p.done < n)
			wait_for_any(&p);
	}
	for (size_t k = 0; k < b->workers; k++)
		lane_free(p.lane[k]);
	for (size_t k = 0; k < p.n_tasks; k++)
		task_free(p.task[k]);
	if (b->bar)
		fputs("\r\033[K", stderr);
	free(p.lane);
	free(p.poll);
	free(p.task);
}
