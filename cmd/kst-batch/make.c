/* SPDX-License-Identifier: ISC */
/* The pipes of filters that make a unit's outputs. */
#include <inttypes.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "source.h"
#include "target.h"
#include "worker.h"
#include "base/xalloc.h"

/* A target of the unit, with a temporary name that no other process uses. */
static int
begin(struct target *t, const struct worker *w, const struct unit *u,
    const char *suffix)
{
	*t = (struct target){.fd = -1, .temp = BUF_INIT};
	buf_printf(&t->temp, "%s/tmp/%s.%ld.%" PRIu64 "%s", w->dir, w->host,
	    (long)getpid(), u->id, suffix);
	return target_open(t);
}

static int
draw(struct worker *w, const struct unit *u, const char *folded)
{
	struct target t;
	struct pipeline p = {.n = 0};
	int in = open(folded, O_RDONLY | O_CLOEXEC), status = -1;
	enum result_status before = w->result.status;

	w->result.status = RESULT_OK;
	pipeline_add(&p, &w->run.steps.step[STEP_SVG], NULL);
	if (begin(&t, w, u, ".svg") == 0 && in >= 0)
		status = pipeline_run(&p, in, target_put, &t);
	if (status != 0)
		say(w, u, RESULT_FAILED, strerror(errno));
	else
		judge_stages(w, u, &p);
	w->result.svg = t.bytes;
	if (target_close(&t, u->svg, w->result.status == RESULT_OK) != 0 &&
	    w->result.status == RESULT_OK)
		say(w, u, RESULT_FAILED, strerror(errno));
	if (w->result.status != RESULT_OK)
		w->result.status = RESULT_FAILED;
	else
		w->result.status = before;
	pipeline_done(&p);
	return w->result.status == RESULT_FAILED ? -1 : 0;
}

void
make_drawing(struct worker *w, const struct unit *u)
{
	struct stat st;

	if (stat(u->path, &st) == 0)
		w->result.bytes = (uint64_t)st.st_size;
	(void)draw(w, u, u->path);
}

/* Runs the stages, of which the last one is kst-fold, into the target. */
static void
run_stages(struct worker *w, const struct unit *u, struct pipeline *p, int in,
    struct target *t)
{
	if (begin(t, w, u, ".folded") != 0) {
		say(w, u, RESULT_FAILED, strerror(errno));
		close(in);
		return;
	}
	if (pipeline_run(p, in, target_put, t) != 0)
		say(w, u, RESULT_FAILED, strerror(errno));
	else
		judge_stages(w, u, p);
	w->result.folded = t->bytes;
	judge_summary(w, &p->stage[p->n - 1]);
}

/* Gives the outputs their names, once nothing can be said against them. */
static void
finish(struct worker *w, const struct unit *u, struct target *t)
{
	bool good = w->result.status != RESULT_FAILED;

	if (good && *u->svg)
		good = draw(w, u, buf_str(&t->temp)) == 0;
	if (target_close(t, u->folded, good) != 0 && good)
		say(w, u, RESULT_FAILED, strerror(errno));
}

/* The steps but the picture; a part's shape is known. */
static void
add_steps(struct pipeline *p, const struct worker *w, const struct unit *u)
{
	static const char *const whole[] = {"-v", NULL},
				 *const trace[] = {"-v", "--shape", "trace",
				     NULL},
				 *const folded[] = {"-v", "--shape", "folded",
				     "--plain", NULL},
				 *const folded_shape[] = {
				     "--shape", "folded", NULL};

	for (int i = STEP_SYM; i <= STEP_FOLD; i++) {
		const char *const *more;

		if (w->run.steps.step[i].n == 0)
			continue;
		if (u->shape == SHAPE_TRACE)
			more = i == STEP_FOLD ? trace : trace + 1;
		else if (u->shape == SHAPE_FOLDED)
			/* whether lines have two counts tell only all parts */
			more = i == STEP_FOLD ? folded : folded_shape;
		else
			more = i == STEP_FOLD ? whole : NULL;
		pipeline_add(p, &w->run.steps.step[i], more);
	}
}

void
make_share(struct worker *w, const struct unit *u, int in)
{
	struct pipeline p = {.n = 0};
	struct target t;

	add_steps(&p, w, u);
	run_stages(w, u, &p, in, &t);
	finish(w, u, &t);
	pipeline_done(&p);
}

void
make_close(struct worker *w, const struct unit *u, struct source *src)
{
	char why[300];
	int status = source_close(src, why, sizeof why);

	if (status < 0)
		say(w, u, RESULT_FAILED, why);
	else if (status > 0)
		say_line(w, u, source_lines(u->path) + 1, why);
}

static void
make_whole(struct worker *w, const struct unit *u, struct source *src)
{
	struct words json = {0};
	struct pipeline p = {.n = 0};
	struct target t;

	if (src->json) {
		words_add(&json, "kst-json");
		pipeline_add(&p, &json, NULL);
	}
	add_steps(&p, w, u);
	run_stages(w, u, &p, src->fd, &t);
	make_close(w, u, src);
	if (u->kind == 'c')
		judge_empty(w, u);
	finish(w, u, &t);
	pipeline_done(&p);
	words_done(&json);
}

void
make_capture(struct worker *w, const struct unit *u)
{
	enum shape shape = SHAPE_AUTO;
	struct source src;

	if (source_open(&src, u->path, u->off, u->len) != 0) {
		say(w, u, RESULT_FAILED,
		    errno == EINVAL ? "no regular file" : strerror(errno));
		return;
	}
	w->result.size = src.size;
	w->result.mtime = src.mtime;
	if (src.foreign) {
		say(w, u, RESULT_FAILED, src.foreign);
		close(src.fd);
		make_close(w, u, &src);
		return;
	}
	w->result.bytes = u->kind == 'p' ? u->len : src.size;
	if (u->width > 1 && src.pack != PACK_NONE)
		shape = source_shape(u->path);
	if (shape == SHAPE_AUTO)
		make_whole(w, u, &src);
	else
		make_wide(w, u, shape, &src);
}

/* A process that writes files into a pipe, one after another. */
static int
concatenate(const struct buf *paths, pid_t *pid)
{
	int out[2];

	if (pipe2(out, O_CLOEXEC) != 0)
		return -1;
	*pid = fork();
	if (*pid == 0) {
		signal(SIGPIPE, SIG_DFL);
		close(out[0]);
		for (const char *p = paths->p; p < paths->p + paths->len;
		     p += strlen(p) + 1) {
			int fd = open(p, O_RDONLY | O_CLOEXEC);
			ssize_t n;

			if (fd < 0)
				_exit(1);
			while ((n = splice(fd, NULL, out[1], NULL, 1 << 20, 0)))
				if (n < 0 && errno != EINTR)
					_exit(1);
			close(fd);
		}
		_exit(0);
	}
	close(out[1]);
	if (*pid < 0) {
		close(out[0]);
		return -1;
	}
	return out[0];
}

void
make_sum_of(struct worker *w, const struct unit *u, const struct buf *paths)
{
	static const char *const plain[] = {
	    "--shape", "folded", "--plain", NULL};
	static const char *const both[] = {"--shape", "folded", NULL};
	struct words fold = {0};
	struct pipeline p = {.n = 0};
	struct target t;
	pid_t pid = 0;
	int in = concatenate(paths, &pid), status = 0;

	if (in < 0) {
		say(w, u, RESULT_FAILED, strerror(errno));
		return;
	}
	words_add(&fold, "kst-fold");
	pipeline_add(&p, &fold, u->plain ? plain : both);
	run_stages(w, u, &p, in, &t);
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
		say(w, u, RESULT_FAILED, "a part of the sum cannot be read");
	finish(w, u, &t);
	pipeline_done(&p);
	words_done(&fold);
}

void
make_sum(struct worker *w, const struct unit *u)
{
	struct buf paths = BUF_INIT;

	if (file_read(u->path, &paths) != 0)
		say(w, u, RESULT_FAILED, strerror(errno));
	else
		make_sum_of(w, u, &paths);
	buf_done(&paths);
}
