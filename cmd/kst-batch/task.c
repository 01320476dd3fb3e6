/* SPDX-License-Identifier: ISC */
/*
 * An item on its way, and the processes beside the lanes: an unpacker,
 * kst-json, kst-fold for sums, kst-svg.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/xalloc.h"
#include "io/job.h"
#include "batch.h"

/* The file of that suffix, made anew. */
static int
create(const struct task *t, const char *suffix)
{
	return open(text_of("%s%s", t->base, suffix),
	    O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

/* Starts a process, whose summary comes if `says`; closes both files. */
static void
start(struct task *t, int which, struct words *w, int in, int out, bool foreign)
{
	struct proc *p = &t->proc[which];
	int says[2] = {-1, -1}, null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (which == FOLD || which == JSON) {
		if (pipe2(says, O_CLOEXEC) == 0)
			words_addf(w, "--summary-fd=%d", says[1]);
	}
	p->from = says[0];
	p->status = EXIT_SYSTEM;
	p->pid = in < 0 || out < 0 ? -1
				   : job_start(&(struct job){.argv = w->v,
					 .in = in,
					 .out = out,
					 .err = null,
					 .keep = says[1],
					 .foreign = foreign});
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	if (null >= 0)
		close(null);
	if (says[1] >= 0)
		close(says[1]);
	words_done(w);
}

/* A process that writes to a pipe; its other end. */
static int
start_source(struct task *t, int which, struct words *w, int in, bool foreign)
{
	int p[2];

	if (in < 0 || pipe2(p, O_CLOEXEC) != 0) {
		if (in >= 0)
			close(in);
		words_done(w);
		return -1;
	}
	start(t, which, w, in, p[1], foreign);
	return p[0];
}

int
task_input(struct task *t, size_t piece)
{
	int fd = open(t->i->path, O_RDONLY | O_CLOEXEC);
	struct words w = {0};

	if (fd >= 0 && lseek(fd, (off_t)t->cut[piece], SEEK_SET) < 0) {
		close(fd);
		return -1;
	}
	for (size_t k = 0; t->unpacker && t->unpacker[k]; k++)
		words_add(&w, t->unpacker[k]);
	if (t->unpacker)
		fd = start_source(t, UNPACK, &w, fd, true);
	w = (struct words){0};
	if (t->json) {
		words_add(&w, "kst-json");
		fd = start_source(t, JSON, &w, fd, false);
	}
	return fd;
}

int
task_output(const struct task *t, size_t piece)
{
	return create(t, t->n == 1 ? ".folded" : text_of("-%zu", piece));
}

/* kst-fold over the files whose names, each with a NUL, are in a list. */
static void
add_up(struct task *t, const char *names, size_t len, bool plain)
{
	struct words cat = {0}, fold = {0};
	const char *list = text_of("%s.list", t->base);
	int fd = -1;

	if (file_write(list, names, len) == 0)
		fd = open(list, O_RDONLY | O_CLOEXEC);
	(void)unlink(list);
	for (const char *const *s =
		 (const char *const[]){"xargs", "-0r", "cat", "--", NULL};
	     *s; s++)
		words_add(&cat, *s);
	words_add(&fold, "kst-fold");
	words_add(&fold, "--shape=folded");
	if (plain)
		words_add(&fold, "--plain");
	fd = start_source(t, UNPACK, &cat, fd, true);
	start(t, FOLD, &fold, fd, create(t, ".folded"), false);
}

/* The pieces of a file. */
static void
add_pieces(struct task *t, const struct batch *b)
{
	struct buf names = BUF_INIT;

	for (size_t k = 0; k < t->n; k++) {
		buf_printf(&names, "%s-%zu", t->base, k);
		buf_addc(&names, 0);
	}
	add_up(t, names.p, names.len,
	    t->shape == SHAPE_TRACE || steps_plain(b->o->steps));
	buf_done(&names);
	t->at = ADDING;
}

struct task *
task_begin(struct batch *b, struct item *i, size_t number)
{
	struct task *t = xcalloc(1, sizeof *t);

	t->i = i;
	t->base = xstrdup(b->tag ? text_of("%s/%s", b->dir, i->rel)
				 : text_of("%s/%zu", b->dir, number));
	t->shape = SHAPE_AUTO;
	if (i->draw_only) {
		t->at = TO_DRAW;
	} else if (i->is_sum) {
		add_up(t, i->inputs.p, i->inputs.len, i->plain);
	} else if (task_look(t, b) != 0) {
		int e = errno;

		task_free(t);
		errno = e;
		return NULL;
	}
	item_begin(i);
	t->left = t->n;
	t->said = xcalloc(t->n + 1, sizeof *t->said);
	return t;
}

bool
task_piece(struct task *t, size_t *piece)
{
	if (t->n_again)
		*piece = t->again[--t->n_again];
	else if (t->next < t->n)
		*piece = t->next++;
	else
		return false;
	return true;
}

/* Waits for a process that is ended, and forgets what it said. */
static void
end(struct proc *p)
{
	if (p->pid > 0) {
		kill(p->pid, SIGKILL);
		while (waitpid(p->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	if (p->from > 0)
		close(p->from);
	*p = (struct proc){0};
}

void
task_again(struct task *t, size_t piece)
{
	for (int k = 0; k < PROCS; k++)
		end(&t->proc[k]);
	t->said[piece].len = t->other.len = 0;
	*xpush(t->again, t->n_again, t->cap_again) = piece;
}

/* The line is one write. */
static void
take_summary(struct proc *p, struct buf *to)
{
	char text[4096];
	ssize_t n = p->from > 0 ? read(p->from, text, sizeof text) : 0;

	if (n > 0)
		buf_add(to, text, (size_t)n);
	if (p->from > 0)
		close(p->from);
	p->from = 0;
}

/* Whether a process still runs; takes what has ended. */
static bool
runs(struct task *t)
{
	bool any = false;

	for (struct proc *p = t->proc; p < t->proc + PROCS; p++) {
		int status;

		if (p->pid > 0 && job_ended(p->pid, &status)) {
			p->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
							: WEXITSTATUS(status);
			p->pid = -1;
			take_summary(p, &t->other);
		}
		any |= p->pid > 0;
	}
	return any;
}

static void
draw(struct task *t, const struct batch *b)
{
	const struct words *step = &b->o->steps[STEP_SVG];
	const char *folded = t->i->draw_only ? item_output(b, t->i, ".folded")
					     : text_of("%s.folded", t->base);
	struct words w = {0};

	for (size_t k = 0; k < step->n; k++)
		words_add(&w, step->v[k]);
	start(t, DRAW, &w, open(folded, O_RDONLY | O_CLOEXEC),
	    create(t, ".svg"), false);
	t->at = DRAWING;
}

/* Packed text without a stack may be JSON, which only then is unpacked twice;
 * if it is none, it is what it was as text. */
static bool
try_json(struct task *t)
{
	if (!t->unpacker || !t->empty)
		return false;
	if (t->json) {
		free(t->i->made.what);
		t->i->made = t->as_text;
		t->as_text.what = NULL;
		return false;
	}
	t->as_text = t->i->made;
	t->i->made.what = NULL;
	item_begin(t->i);
	t->json = true;
	t->left = 1;
	task_again(t, 0);
	return true;
}

/* All of it was read. */
static bool
conclude(struct batch *b, struct task *t)
{
	if (t->n == 0 && t->foreign) {
		int fd = create(t, ".folded");

		if (fd >= 0)
			close(fd);
	}
	judge(b, t);
	for (size_t k = 0; t->n > 1 && k < t->n; k++)
		(void)unlink(text_of("%s-%zu", t->base, k));
	if (try_json(t))
		return false;
	t->at = TO_DRAW;
	return b->svg_key == 0 || t->i->made.status == STATUS_FAILED;
}

bool
task_step(struct batch *b, struct task *t, bool may_draw)
{
	bool done = false;

	if (t->left > 0 || runs(t))
		return false;
	if (t->at == READING && t->n > 1)
		add_pieces(t, b);
	else if (t->at == READING || t->at == ADDING)
		done = conclude(b, t);
	else if (t->at == TO_DRAW && may_draw)
		draw(t, b);
	else if (t->at == DRAWING)
		done = true;
	if (!done)
		return false;
	if (t->at == DRAWING) {
		judge_picture(&t->i->made, t->proc[DRAW].status);
		t->i->made.svg = file_size(text_of("%s.svg", t->base));
	}
	report_result(b, t->i, t->base);
	return true;
}

void
task_free(struct task *t)
{
	for (int k = 0; k < PROCS; k++)
		end(&t->proc[k]);
	for (size_t k = 0; t->said && k < t->n; k++)
		buf_done(&t->said[k]);
	buf_done(&t->other);
	free(t->as_text.what);
	free(t->again);
	free(t->said);
	free(t->cut);
	free(t->base);
	free(t);
}
