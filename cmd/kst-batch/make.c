/* SPDX-License-Identifier: ISC */
/* A unit's pipe of filters, its outputs, and what the ended filters say. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "text/look.h"
#include "pipe.h"
#include "worker.h"

/* How much of a capture tells what it is, and an unpacker's pipe. */
enum { HEAD = 4096, PIPE_SIZE = 1 << 20 };

/* Makes the status no better than that; the first reason stands. */
__attribute__((format(printf, 3, 4))) static void
say(struct worker *w, enum status status, const char *fmt, ...)
{
	char text[1000];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (w->r.status >= status)
		return;
	w->r.status = status;
	w->what.len = 0;
	buf_adds(&w->what, text);
}

static void
fail(struct worker *w)
{
	say(w, STATUS_FAILED, "%s", strerror(errno));
}

/* A target of the unit: a name that no other process uses, and its file. */
static int
temp_open(const struct worker *w, const char *suffix, struct buf *path)
{
	buf_printf(path, "%s/tmp/%s.%ld.%" PRIu64 "%s", w->dir, w->host,
	    (long)getpid(), w->u->id, suffix);
	return open(buf_str(path), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

/* Closes the file and says its size; an error of writing is a failure. */
static void
temp_close(struct worker *w, int fd, uint64_t *size)
{
	struct stat st;

	if (fstat(fd, &st) == 0)
		*size = (uint64_t)st.st_size;
	if (close(fd) != 0)
		fail(w);
}

/* What a stage that did not end well means. */
static void
judge_stage(struct worker *w, const struct stage *s, bool reads_capture)
{
	int code = WIFEXITED(s->status) ? WEXITSTATUS(s->status) : -1;
	struct buf what = BUF_INIT;
	uint64_t line = summary_number(s->summary, "line");

	summary_what(s->summary, &what);
	if (code < 0)
		say(w, STATUS_FAILED, "%s was killed by signal %d", s->name,
		    WTERMSIG(s->status));
	else if (code != EXIT_FAILED || s->summary == NULL)
		say(w, STATUS_FAILED, "%s ended with status %d%s%s", s->name,
		    code, what.len ? ": " : "", buf_str(&what));
	else if (reads_capture)
		say(w, STATUS_BROKEN, "%s", buf_str(&what));
	else
		say(w, STATUS_BROKEN, "%s: line %" PRIu64 ": %s", s->name, line,
		    buf_str(&what));
	if (w->r.faults == 0 && w->r.status == STATUS_BROKEN) {
		w->r.faults = summary_number(s->summary, "faults");
		w->r.line = reads_capture ? line : 0;
	}
	buf_done(&what);
}

/*
 * The ended stages, of which `first` is the first filter; before it there is
 * what feeds it, with an unpacker if `packed`. The capture's text that was
 * read must have `want` bytes, unless that is not known.
 */
static void
judge(struct worker *w, const struct pipeline *p, size_t first, bool packed,
    uint64_t want)
{
	const char *read = p->n > first ? p->stage[first].summary : NULL;
	uint64_t bytes = summary_number(read, "bytes");

	w->r.lines = summary_number(read, "lines");
	for (size_t i = 0; i < p->n; i++) {
		const struct stage *s = &p->stage[i];

		/* killed by SIGPIPE: what ended before it says why */
		if (s->status == 0 || (i + 1 < p->n && WIFSIGNALED(s->status) &&
					  WTERMSIG(s->status) == SIGPIPE))
			continue;
		if (i < first && packed && WIFEXITED(s->status)) {
			say(w, STATUS_BROKEN,
			    "damaged or cut off: %s ended with status %d",
			    s->name, WEXITSTATUS(s->status));
			w->r.faults++;
			w->r.line = w->r.lines ? w->r.lines : 1;
		} else {
			judge_stage(w, s, i == first);
		}
	}
	if (read == NULL)
		say(w, STATUS_FAILED, "a filter ended without its summary");
	else if (bytes < want && want != UINT64_MAX)
		say(w, STATUS_FAILED,
		    "only %" PRIu64 " of %" PRIu64 " bytes could be read",
		    bytes, want);
}

/* Takes what kst-fold, the last stage, has counted. */
static void
take_counts(struct worker *w, const struct pipeline *p)
{
	const char *s = p->n > 0 ? p->stage[p->n - 1].summary : NULL;

	w->r.captures = summary_number(s, "captures");
	w->r.stacks = summary_number(s, "stacks");
	if (w->u->kind == UNIT_CAPTURE && w->r.status == STATUS_OK &&
	    w->r.stacks + summary_number(s, "left-out") == 0) {
		say(w, STATUS_BROKEN, "no stack is in this file");
		w->r.line = w->r.faults = 1;
	}
}

/* The picture of folded text, as a file that is to get its name. */
static void
draw(struct worker *w, const char *folded, struct buf *temp)
{
	int in = open(folded, O_RDONLY | O_CLOEXEC),
	    out = temp_open(w, ".svg", temp);
	struct pipeline p;

	if (in < 0 || out < 0 || pipeline_begin(&p, in, false) != 0) {
		fail(w);
		return;
	}
	if (pipeline_step(&p, &w->run.steps.step[STEP_SVG], NULL, false, out) !=
	    0)
		fail(w);
	pipeline_end(&p);
	if (p.n > 0 && WIFEXITED(p.stage[0].status) &&
	    WEXITSTATUS(p.stage[0].status) == EXIT_FAILED)
		say(w, STATUS_BROKEN, "there is little or nothing to draw");
	else if (p.n > 0 && p.stage[0].status != 0)
		judge_stage(w, &p.stage[0], false);
	temp_close(w, out, &w->r.svg);
	pipeline_done(&p);
}

/* Draws the picture, and gives the outputs their names if all is well. */
static void
finish(struct worker *w, struct buf *folded)
{
	struct buf svg = BUF_INIT;

	if (w->r.status != STATUS_FAILED && *w->u->svg)
		draw(w, buf_str(folded), &svg);
	if (w->r.status != STATUS_FAILED && svg.len &&
	    file_rename(buf_str(&svg), w->u->svg) != 0)
		fail(w);
	if (w->r.status != STATUS_FAILED && folded->len &&
	    w->u->kind != UNIT_DRAWING &&
	    file_rename(buf_str(folded), w->u->folded) != 0)
		fail(w);
	if (w->r.status == STATUS_FAILED && svg.len)
		(void)unlink(buf_str(&svg));
	if (w->r.status == STATUS_FAILED && w->u->kind != UNIT_DRAWING)
		(void)unlink(buf_str(folded));
	buf_done(&svg);
}

/* Looks at what comes out of the pipe, without taking it. */
static size_t
peek(int fd, char *head)
{
	int copy[2];
	ssize_t n;

	if (pipe2(copy, O_CLOEXEC) != 0)
		return 0;
	do
		n = tee(fd, copy[1], HEAD, 0);
	while (n < 0 && errno == EINTR);
	if (n > 0)
		n = read(copy[0], head, HEAD);
	close(copy[0]);
	close(copy[1]);
	return n > 0 ? (size_t)n : 0;
}

/*
 * Starts what comes before the steps: an unpacker, kst-json, or what copies
 * the part. Sets *first to the first filter. Returns 0, -1 with errno, or 1
 * when it is packed in a way that is not read.
 */
static int
add_readers(struct worker *w, struct pipeline *p, size_t *first)
{
	struct words json = {.v = (char *[]){(char *)"kst-json", NULL}, .n = 1};
	char head[HEAD], len[24];
	ssize_t n = pread(p->fd, head, sizeof head, 0);
	char *const *unpack;
	const char *other;

	if (n < 0)
		return -1;
	if (w->u->kind == UNIT_PART) {
		snprintf(len, sizeof len, "%" PRIu64, w->u->len);
		*first = 1;
		(void)lseek(p->fd, (off_t)w->u->off, SEEK_SET);
		return pipeline_add(p,
		    (char *const[]){(char *)"head", (char *)"-c", len, NULL},
		    -1);
	}
	other = look_foreign(head, (size_t)n);
	unpack = look_unpacker(head, (size_t)n);
	if (unpack) {
		*first = 1;
		if (pipeline_add(p, unpack, -1) != 0)
			return -1;
		(void)fcntl(p->fd, F_SETPIPE_SZ, PIPE_SIZE);
		n = (ssize_t)peek(p->fd, head);
		other = look_foreign(head, (size_t)n);
		if (look_unpacker(head, (size_t)n))
			other = "two packers";
	}
	if (other) {
		say(w, STATUS_BROKEN, "packed by %s, which is not read", other);
		w->r.line = w->r.faults = 1;
		return 1;
	}
	return look_json(head, (size_t)n)
		   ? pipeline_step(p, &json, NULL, true, -1)
		   : 0;
}

/* The steps but the picture; a part's shape is known. */
static int
add_steps(const struct worker *w, struct pipeline *p, int out)
{
	static const char *const trace[] = {"--shape", "trace", NULL},
				 *const part[] = {"--shape", "trace", "--part",
				     NULL},
				 *const folded[] = {"--shape", "folded",
				     "--plain", NULL},
				 *const folded_shape[] = {
				     "--shape", "folded", NULL};

	for (int i = STEP_SYM; i <= STEP_FOLD; i++) {
		const char *const *more = NULL;

		if (w->run.steps.step[i].n == 0)
			continue;
		if (w->u->shape == SHAPE_TRACE)
			more = i == STEP_FOLD ? part : trace;
		else if (w->u->shape == SHAPE_FOLDED)
			/* only all parts tell whether lines have two counts */
			more = i == STEP_FOLD ? folded : folded_shape;
		if (pipeline_step(p, &w->run.steps.step[i], more, true,
			i == STEP_FOLD ? out : -1) != 0)
			return -1;
	}
	return 0;
}

/* The capture, open at its begin as `in`, into the file `out`. */
static void
run_steps(struct worker *w, int in, int out)
{
	struct pipeline p;
	size_t first = 0;
	bool part = w->u->kind == UNIT_PART;
	int status = pipeline_begin(&p, in, false);

	if (status == 0)
		status = add_readers(w, &p, &first);
	if (status == 0)
		status = add_steps(w, &p, out);
	if (status < 0)
		fail(w);
	pipeline_end(&p);
	if (status == 0) {
		judge(w, &p, first, first && !part,
		    part    ? w->u->len
		    : first ? UINT64_MAX
			    : w->r.size);
		take_counts(w, &p);
	}
	pipeline_done(&p);
}

void
make_capture(struct worker *w)
{
	int in = open(w->u->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct buf temp = BUF_INIT;
	struct stat st;
	int out;

	if (in < 0 || fstat(in, &st) != 0) {
		fail(w);
		return;
	}
	if (!S_ISREG(st.st_mode)) {
		say(w, STATUS_FAILED, "not a regular file");
		close(in);
		return;
	}
	w->r.size = (uint64_t)st.st_size;
	w->r.mtime = (uint64_t)st.st_mtim.tv_sec * 1000000000u +
		     (uint64_t)st.st_mtim.tv_nsec;
	w->r.bytes = w->u->kind == UNIT_PART ? w->u->len : w->r.size;
	out = temp_open(w, ".folded", &temp);
	if (out < 0) {
		fail(w);
		close(in);
	} else {
		run_steps(w, in, out);
		temp_close(w, out, &w->r.folded);
		finish(w, &temp);
	}
	buf_done(&temp);
}

void
make_drawing(struct worker *w)
{
	struct buf folded = BUF_INIT;
	struct stat st;

	if (stat(w->u->path, &st) == 0)
		w->r.bytes = (uint64_t)st.st_size;
	buf_adds(&folded, w->u->path);
	finish(w, &folded);
	buf_done(&folded);
}

/* The files go through cat(1), as many a time as a command line takes. */
void
make_sum(struct worker *w)
{
	static const char *const plain[] = {
	    "--shape", "folded", "--plain", NULL};
	static const char *const both[] = {"--shape", "folded", NULL};
	struct words fold = {.v = (char *[]){(char *)"kst-fold", NULL}, .n = 1};
	char *const cat[] = {(char *)"xargs", (char *)"-0r", (char *)"-a",
	    (char *)w->u->path, (char *)"cat", (char *)"--", NULL};
	struct buf temp = BUF_INIT;
	struct pipeline p;
	int out = temp_open(w, ".folded", &temp);

	if (out < 0 || pipeline_begin(&p, open("/dev/null", O_RDONLY), false) ||
	    pipeline_add(&p, cat, -1) != 0 ||
	    pipeline_step(&p, &fold, w->u->plain ? plain : both, true, out))
		fail(w);
	if (out >= 0) {
		pipeline_end(&p);
		judge(w, &p, 1, false, w->u->len);
		/* what the filters wrote is not damaged by itself */
		if (w->r.status == STATUS_BROKEN)
			w->r.status = STATUS_FAILED;
		temp_close(w, out, &w->r.folded);
		pipeline_done(&p);
		finish(w, &temp);
	}
	buf_done(&temp);
}
