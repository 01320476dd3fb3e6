/* SPDX-License-Identifier: ISC */
/*
 * A lane: kst-sym, kst-clean and kst-fold, as far as they are asked for, as
 * resident filters (--each-fd). A file is given to the first one, a pipe
 * between each two, and the output to the last one. Each says a line of each
 * file; some files are given ahead, so that no filter waits for this process.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "io/job.h"
#include "opt/each.h"
#include "rights/pass.h"
#include "batch.h"

/* Files given ahead, and their bytes; what a process before it counts for. */
enum { AHEAD = 16, AHEAD_BYTES = 1 << 20, SOURCE_BYTES = 1 << 19 };

struct filter {
	pid_t pid;
	int socket;
	struct buf text;    /* said, without a newline yet */
	size_t said;	    /* lines, of the files in the queue */
	bool ended, failed; /* failed: it said so, as the last line */
};

struct lane {
	const struct batch *b;
	struct filter f[STEP_SVG];
	size_t n_f; /* 0: not running */
	enum shape shape;
	struct order {
		struct task *t;
		size_t piece, bytes;
		unsigned said; /* by how many filters */
	} queue[AHEAD];
	size_t first, n, bytes;
};

struct lane *
lane_new(const struct batch *b)
{
	struct lane *l = xcalloc(1, sizeof *l);

	l->b = b;
	return l;
}

static struct order *
nth(struct lane *l, size_t k)
{
	return &l->queue[(l->first + k) % AHEAD];
}

/* The filters end when they read that nothing more comes, or at once. */
static void
stop(struct lane *l, bool now)
{
	for (size_t i = 0; i < l->n_f; i++) {
		struct filter *f = &l->f[i];

		close(f->socket);
		if (now)
			kill(f->pid, SIGKILL);
		buf_done(&f->text);
	}
	for (size_t i = 0; i < l->n_f; i++)
		while (waitpid(l->f[i].pid, NULL, 0) < 0 && errno == EINTR)
			;
	l->n_f = 0;
}

void
lane_free(struct lane *l)
{
	stop(l, l->n > 0);
	free(l);
}

static bool
start_filter(struct lane *l, const struct words *step, int null)
{
	static const char *const shapes[] = {
	    "", "--shape=trace", "--shape=folded"};
	bool folds = step == &l->b->o->steps[STEP_FOLD];
	struct words w = {0};
	struct filter f = {.text = BUF_INIT};
	int s[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s) != 0)
		return false;
	words_addf(&w, "%s", step->v[0]);
	words_addf(&w, "--each-fd=%d", s[1]);
	if (l->shape != SHAPE_AUTO)
		words_add(&w, shapes[l->shape]);
	if (l->shape != SHAPE_AUTO && folds)
		words_add(&w, l->shape == SHAPE_TRACE ? "--part" : "--plain");
	for (size_t k = 1; k < step->n; k++)
		words_add(&w, step->v[k]);
	f.pid = job_start(&(struct job){
	    .argv = w.v, .in = null, .out = null, .err = null, .keep = s[1]});
	f.socket = s[0];
	words_done(&w);
	close(s[1]);
	if (f.pid > 0)
		l->f[l->n_f++] = f;
	else
		close(s[0]);
	return f.pid > 0;
}

static bool
start(struct lane *l, enum shape shape)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	bool good = null >= 0;

	l->shape = shape;
	for (int i = 0; good && i < STEP_SVG; i++)
		if (l->b->o->steps[i].n)
			good = start_filter(l, &l->b->o->steps[i], null);
	if (null >= 0)
		close(null);
	if (!good)
		stop(l, true);
	return good;
}

/* Whether a filter has. */
static bool
has_ended(const struct lane *l)
{
	for (size_t i = 0; i < l->n_f; i++)
		if (l->f[i].ended)
			return true;
	return false;
}

bool
lane_takes(const struct lane *l, const struct task *t)
{
	return l->n == 0 || (!has_ended(l) && l->shape == t->shape &&
				l->n < AHEAD && l->bytes < AHEAD_BYTES);
}

bool
lane_busy(const struct lane *l)
{
	return l->n > 0;
}

bool
lane_has(const struct lane *l, const struct task *t)
{
	for (size_t k = 0; k < l->n; k++)
		if (l->queue[(l->first + k) % AHEAD].t == t)
			return true;
	return false;
}

/*
 * A filter has ended: all are started again. The file on which it ended is
 * done; the others are begun again.
 */
static void
lane_lost(struct lane *l, size_t blamed)
{
	stop(l, true);
	for (size_t k = 0; k < l->n; k++) {
		struct order *o = nth(l, k);

		if (k == blamed)
			o->t->left--;
		else
			task_again(o->t, o->piece);
	}
	l->n = l->bytes = 0;
}

/* Gives each filter its input and output. A filter that has ended is found so
 * when its lines are read. */
static bool
send_files(struct lane *l, const struct each_order *o, int in, int out)
{
	bool good = true;

	for (size_t i = 0; i < l->n_f; i++) {
		int p[2] = {-1, out};

		if (i + 1 < l->n_f && pipe2(p, O_CLOEXEC) != 0) {
			good = false;
			break;
		}
		(void)(pass_send(l->f[i].socket,
			   i ? &(struct each_order){UINT64_MAX} : o, sizeof *o,
			   in) &&
		       pass_send(l->f[i].socket, o, sizeof *o, p[1]));
		close(in);
		if (p[1] != out)
			close(p[1]);
		in = p[0];
	}
	if (in >= 0)
		close(in);
	close(out);
	return good;
}

/* Nothing is to be done of the piece any more. */
static void
drop(struct task *t, const char *why)
{
	outcome_fault(&t->i->made, STATUS_FAILED, 0, "%s", why);
	t->left--;
}

void
lane_give(struct lane *l, struct task *t, size_t piece)
{
	struct each_order o = {t->shape == SHAPE_AUTO
				   ? UINT64_MAX
				   : t->cut[piece + 1] - t->cut[piece]};
	bool source = t->unpacker || t->json;
	uint64_t bytes = source ? SOURCE_BYTES : t->cut[1];
	int in = -1, out;

	if (l->n == 0 && l->n_f > 0 && (l->shape != t->shape || has_ended(l)))
		stop(l, false);
	if (l->n_f == 0 && !start(l, t->shape)) {
		drop(t, "a filter cannot be started");
		return;
	}
	out = task_output(t, piece);
	if (out >= 0)
		in = task_input(t, piece);
	if (in < 0) {
		drop(t, strerror(errno));
		if (out >= 0)
			close(out);
		return;
	}
	*nth(l, l->n++) = (struct order){
	    t, piece, bytes < AHEAD_BYTES ? (size_t)bytes : AHEAD_BYTES, 0};
	l->bytes += nth(l, l->n - 1)->bytes;
	if (!send_files(l, &o, in, out))
		lane_lost(l, l->n - 1);
}

size_t
lane_poll(const struct lane *l, struct pollfd *p)
{
	size_t n = 0;

	for (size_t i = 0; i < l->n_f; i++)
		if (!l->f[i].ended)
			p[n++] = (struct pollfd){l->f[i].socket, POLLIN, 0};
	return n;
}

/* What all filters have said is done. */
static void
pop_done(struct lane *l)
{
	while (l->n > 0 && l->queue[l->first].said == l->n_f) {
		l->queue[l->first].t->left--;
		l->bytes -= l->queue[l->first].bytes;
		l->first = (l->first + 1) % AHEAD;
		l->n--;
		for (size_t i = 0; i < l->n_f; i++)
			l->f[i].said--;
	}
}

static void
take_line(struct lane *l, struct filter *f, const char *line, size_t len)
{
	struct order *o = nth(l, f->said);

	if (f->said == l->n)
		return;
	buf_add(&o->t->said[o->piece], line, len);
	f->failed = memmem(line, len, " status=0 ", 10) == NULL &&
		    memmem(line, len, " status=1 ", 10) == NULL;
	f->said++;
	o->said++;
}

/* False: it has ended. */
static bool
read_filter(struct lane *l, struct filter *f)
{
	char text[4096];
	ssize_t n = recv(f->socket, text, sizeof text, MSG_DONTWAIT);
	char *nl;

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return true;
	if (n <= 0)
		return false;
	buf_add(&f->text, text, (size_t)n);
	while ((nl = memchr(f->text.p, '\n', f->text.len))) {
		size_t len = (size_t)(nl + 1 - f->text.p);

		take_line(l, f, f->text.p, len);
		f->text.len -= len;
		memmove(f->text.p, nl + 1, f->text.len);
	}
	return true;
}

void
lane_step(struct lane *l)
{
	for (size_t i = 0; i < l->n_f; i++) {
		struct filter *f = &l->f[i];

		if (!f->ended)
			f->ended = !read_filter(l, f);
		pop_done(l);
		if (f->ended && f->said < l->n) {
			lane_lost(l, f->failed ? l->n : f->said);
			return;
		}
	}
	pop_done(l);
}
