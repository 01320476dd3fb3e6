/* SPDX-License-Identifier: ISC */
/*
 * The worker: takes units of a job through the steps, each to an output that
 * appears whole or not at all, and prints a line of result for each.
 */
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "msg.h"
#include "pipeline.h"
#include "source.h"
#include "xalloc.h"

struct worker {
	const char *dir;
	struct run run;
	char host[65];
	bool sent;	     /* this machine has copies of the captures */
	struct buf messages; /* of the unit */
	struct result result;
};

/* A file that is being written under a name of its own. */
struct target {
	int fd;
	uint64_t bytes;
	struct buf temp;
};

static void
say(struct worker *w, const struct unit *u, enum result_status status,
    const char *what)
{
	buf_printf(&w->messages, "%s: %s\n", u->name, what);
	if (w->result.status < status)
		w->result.status = status;
}

/* A fault of the capture. */
static void
say_line(
    struct worker *w, const struct unit *u, uint64_t line, const char *what)
{
	buf_printf(&w->messages, "%s:%llu: %s\n", u->name,
	    (unsigned long long)line, what);
	if (w->result.status < RESULT_FAULTY)
		w->result.status = RESULT_FAULTY;
}

static int
target_open(struct target *t, const struct worker *w, const struct unit *u,
    const char *suffix)
{
	t->bytes = 0;
	t->temp.len = 0;
	buf_printf(&t->temp, "%s/tmp/%s.%ld.%llu%s", w->dir, w->host,
	    (long)getpid(), (unsigned long long)u->id, suffix);
	t->fd = open(
	    buf_str(&t->temp), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	return t->fd < 0 ? -1 : 0;
}

static int
target_put(void *arg, const char *p, size_t n)
{
	struct target *t = arg;

	t->bytes += n;
	while (n > 0) {
		ssize_t k = write(t->fd, p, n);

		if (k < 0 && errno == EINTR)
			continue;
		if (k < 0)
			return -1;
		p += k;
		n -= (size_t)k;
	}
	return 0;
}

/* Closes the file and, if all is well, gives it its name. */
static int
target_close(struct target *t, const char *path, bool good)
{
	int e;

	if (t->fd >= 0 && close(t->fd) != 0)
		good = false;
	t->fd = -1;
	if (good && rename(buf_str(&t->temp), path) != 0) {
		if (errno != ENOENT || make_parents(path) != 0 ||
		    rename(buf_str(&t->temp), path) != 0)
			good = false;
	}
	e = errno;
	if (!good && t->temp.len)
		unlink(buf_str(&t->temp));
	buf_done(&t->temp);
	errno = e;
	return good ? 0 : -1;
}

/* A filter's line of message, with the capture's name for `stdin`. */
static void
take_message(struct worker *w, const struct unit *u, const char *line,
    size_t len, bool first_stage)
{
	static const char in[] = ": stdin:";
	const char *p = memmem(line, len, in, sizeof in - 1), *end = line + len;
	uint64_t n = 0;

	if (p == NULL || p - line > 16) {
		buf_printf(&w->messages, "%s: %.*s\n", u->name, (int)len, line);
		return;
	}
	p += sizeof in - 1;
	if (!first_stage) {
		buf_printf(&w->messages, "%s: %.*s: line %.*s\n", u->name,
		    (int)strcspn(line, ":"), line, (int)(end - p), p);
		return;
	}
	while (p < end && *p >= '0' && *p <= '9')
		n = n * 10 + (uint64_t)(*p++ - '0');
	if (n > 0 && u->kind == 'p' && u->off > 0)
		n += source_lines(u->path, u->off);
	if (n > 0)
		buf_printf(&w->messages, "%s:%llu%.*s\n", u->name,
		    (unsigned long long)n, (int)(end - p), p);
	else
		buf_printf(
		    &w->messages, "%s:%.*s\n", u->name, (int)(end - p), p);
}

static void
take_messages(struct worker *w, const struct unit *u, const struct stage *s,
    bool first_stage)
{
	const char *p = s->err.p, *end = p + s->err.len;

	while (p && p < end) {
		const char *nl = memchr(p, '\n', (size_t)(end - p));
		size_t len = (size_t)((nl ? nl : end) - p);

		if (!memmem(p, len, " stacks counted, ", 17) &&
		    !memmem(p, len, " different stacks, ", 19))
			take_message(w, u, p, len, first_stage);
		p += len + 1;
	}
}

/* What the ends of the stages say of the unit. */
static void
judge(struct worker *w, const struct unit *u, const struct pipeline *p)
{
	char text[100];

	for (size_t i = 0; i < p->n; i++) {
		const struct stage *s = &p->stage[i];
		int code = WIFEXITED(s->status) ? WEXITSTATUS(s->status) : -1;

		if (code == 0)
			continue;
		if (code == EXIT_FAILED) {
			take_messages(w, u, s, i == 0);
			if (w->result.status < RESULT_FAULTY)
				w->result.status = RESULT_FAULTY;
			continue;
		}
		/* killed by SIGPIPE: what ended before it says why */
		if (code < 0 && WTERMSIG(s->status) == SIGPIPE && i + 1 < p->n)
			continue;
		if (code >= 0) {
			take_messages(w, u, s, i == 0);
			snprintf(text, sizeof text, "%s failed with status %d",
			    s->argv[0], code);
		} else {
			snprintf(text, sizeof text,
			    "%s was killed by signal %d", s->argv[0],
			    WTERMSIG(s->status));
		}
		say(w, u, RESULT_FAILED, text);
	}
}

/* Reads kst-fold's summary: `C captures, S stacks counted, L left out, ...` */
static void
take_summary(struct worker *w, const struct unit *u, const struct stage *s)
{
	unsigned long long captures = 0, stacks = 0, out = 0;
	const char *p;
	struct buf text = BUF_INIT;

	buf_add(&text, s->err.p, s->err.len);
	buf_addc(&text, '\n');
	buf_add(&text, s->tail.p, s->tail.len);
	for (p = buf_str(&text); (p = strstr(p, "kst-fold: ")); p += 10)
		if (sscanf(p,
			"kst-fold: %llu captures, %llu stacks counted, "
			"%llu left out",
			&captures, &stacks, &out) == 3)
			break;
	if (p) {
		w->result.captures = captures;
		w->result.stacks = stacks;
		if (stacks + out == 0 && u->kind == 'c')
			say_line(w, u, 1, "no stack is in this file");
	}
	buf_done(&text);
}

static int
draw(struct worker *w, const struct unit *u, const char *folded)
{
	struct target t = {.fd = -1, .temp = BUF_INIT};
	struct pipeline p = {.n = 0};
	int in = open(folded, O_RDONLY | O_CLOEXEC), status = -1;
	enum result_status before = w->result.status;

	w->result.status = RESULT_OK;
	pipeline_add(&p, &w->run.steps.step[STEP_SVG], NULL);
	if (in >= 0 && target_open(&t, w, u, ".svg") == 0)
		status = pipeline_run(&p, in, target_put, &t);
	if (status != 0)
		say(w, u, RESULT_FAILED, strerror(errno));
	else
		judge(w, u, &p);
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

/* Runs the stages to the unit's outputs. */
static void
make(struct worker *w, const struct unit *u, struct pipeline *p, int in)
{
	struct target t = {.fd = -1, .temp = BUF_INIT};
	bool good;

	if (target_open(&t, w, u, ".folded") != 0) {
		say(w, u, RESULT_FAILED, strerror(errno));
		close(in);
		buf_done(&t.temp);
		return;
	}
	if (pipeline_run(p, in, target_put, &t) != 0)
		say(w, u, RESULT_FAILED, strerror(errno));
	else
		judge(w, u, p);
	w->result.folded = t.bytes;
	take_summary(w, u, &p->stage[p->n - 1]);
	good = w->result.status != RESULT_FAILED;
	if (good && *u->svg)
		good = draw(w, u, buf_str(&t.temp)) == 0;
	if (target_close(&t, u->folded, good) != 0 && good)
		say(w, u, RESULT_FAILED, strerror(errno));
}

static void
do_capture(struct worker *w, const struct unit *u)
{
	static const char *const verbose[] = {"-v", NULL};
	static const char *const shaped[] = {"-v", "--shape", "trace", NULL};
	struct words json = {0};
	struct pipeline p = {.n = 0};
	struct source src;
	char why[300];
	int closed;
	bool part = u->kind == 'p';

	if (source_open(&src, u->path, u->off, u->len) != 0) {
		say(w, u, RESULT_FAILED,
		    errno == EINVAL ? "no regular file" : strerror(errno));
		return;
	}
	w->result.size = src.size;
	w->result.mtime = src.mtime;
	w->result.bytes = part ? u->len : src.size;
	if (src.json) {
		words_add(&json, "kst-json");
		pipeline_add(&p, &json, NULL);
	}
	for (int i = STEP_SYM; i <= STEP_FOLD; i++)
		if (w->run.steps.step[i].n)
			pipeline_add(&p, &w->run.steps.step[i],
			    i == STEP_FOLD ? (part ? shaped : verbose)
			    : part	   ? shaped + 1
					   : NULL);
	make(w, u, &p, src.fd);
	closed = source_close(&src, why, sizeof why);
	if (closed < 0)
		say(w, u, RESULT_FAILED, why);
	else if (closed > 0)
		say_line(w, u, source_lines(u->path, 0) + 1, why);
	pipeline_done(&p);
	words_done(&json);
}

/* A process that writes the files of a list into a pipe, one after another. */
static int
concatenate(const char *list, pid_t *pid)
{
	struct buf b = BUF_INIT;
	int out[2];

	if (file_read(list, &b) != 0 || pipe2(out, O_CLOEXEC) != 0)
		return -1;
	*pid = fork();
	if (*pid == 0) {
		signal(SIGPIPE, SIG_DFL);
		close(out[0]);
		for (char *p = b.p; p < b.p + b.len; p += strlen(p) + 1) {
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
	buf_done(&b);
	if (*pid < 0) {
		close(out[0]);
		return -1;
	}
	return out[0];
}

static void
do_sum(struct worker *w, const struct unit *u)
{
	static const char *const plain[] = {
	    "--shape", "folded", "--plain", NULL};
	static const char *const both[] = {"--shape", "folded", NULL};
	struct words fold = {0};
	struct pipeline p = {.n = 0};
	pid_t pid = 0;
	int in = concatenate(u->path, &pid), status = 0;

	if (in < 0) {
		say(w, u, RESULT_FAILED, strerror(errno));
		return;
	}
	words_add(&fold, "kst-fold");
	pipeline_add(&p, &fold, u->plain ? plain : both);
	make(w, u, &p, in);
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
		say(w, u, RESULT_FAILED, "a part of the sum cannot be read");
	pipeline_done(&p);
	words_done(&fold);
}

static uint64_t
now_usec(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

static int
do_unit(struct worker *w, const struct unit *u)
{
	uint64_t begin = now_usec();
	struct buf line = BUF_INIT;
	bool good;

	memset(&w->result, 0, sizeof w->result);
	w->result.id = u->id;
	w->messages.len = 0;
	if (u->kind == 's')
		do_sum(w, u);
	else
		do_capture(w, u);
	w->result.usec = now_usec() - begin;
	w->result.host = w->host;
	w->result.messages = buf_str(&w->messages);
	result_write(&line, &w->result);
	good = write(STDOUT_FILENO, line.p, line.len) == (ssize_t)line.len;
	buf_done(&line);
	return good ? 0 : -1;
}

void
path_beside(void)
{
	struct buf b = BUF_INIT;
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);

	if (n <= 0)
		return;
	exe[n] = 0;
	*strrchr(exe, '/') = 0;
	buf_printf(&b, "%s:%s", exe, getenv("PATH") ? getenv("PATH") : "");
	setenv("PATH", buf_str(&b), 1);
	buf_done(&b);
}

/*
 * On a machine that has been sent the files, a job has a folder of its own,
 * in which all is done; what has been read is removed.
 */
static void
enter_job(struct worker *w, const char *number)
{
	struct buf path = BUF_INIT;
	struct stat st;

	buf_printf(&path, "%s/jobs/%s", w->dir, number);
	w->sent = stat(buf_str(&path), &st) == 0 && S_ISDIR(st.st_mode);
	if (w->sent) {
		if (chdir(path.p) != 0 ||
		    (mkdir("tmp", 0777) && errno != EEXIST) ||
		    (mkdir("out", 0777) && errno != EEXIST))
			msg_die(EXIT_FAILED, "%s: %s", path.p, strerror(errno));
		w->dir = ".";
	} else if (chdir(w->run.cwd) != 0) {
		msg_die(EXIT_FAILED, "%s: %s", w->run.cwd, strerror(errno));
	}
	buf_done(&path);
}

int
work(const char *dir, const char *number)
{
	struct worker w = {.dir = dir};
	struct buf run = BUF_INIT, job = BUF_INIT, path = BUF_INIT;
	struct unit u;
	char *p;
	int status = 0;

	prctl(PR_SET_PDEATHSIG, SIGTERM);
	path_beside();
	gethostname(w.host, sizeof w.host - 1);
	buf_printf(&path, "%s/run", dir);
	if (file_read(buf_str(&path), &run) != 0)
		msg_die(EXIT_FAILED, "%s: %s", path.p, strerror(errno));
	if (run_read(&w.run, run.p, run.p + run.len) != 0)
		msg_die(EXIT_FAILED, "%s: of another version", path.p);
	path.len = 0;
	buf_printf(&path, "%s/jobs/%s", dir, number);
	if (file_read(buf_str(&path), &job) != 0) {
		buf_adds(&path, "/job");
		if (file_read(buf_str(&path), &job) != 0)
			msg_die(EXIT_FAILED, "%s: %s", path.p, strerror(errno));
	}
	enter_job(&w, number);
	p = job.p;
	while (status == 0 && p < job.p + job.len) {
		if (unit_read(&u, &p, job.p + job.len) != 0)
			msg_die(EXIT_FAILED, "a damaged job file");
		status = do_unit(&w, &u);
		if (w.sent)
			(void)unlink(u.path);
	}
	run_done(&w.run);
	buf_done(&w.messages);
	buf_done(&run);
	buf_done(&job);
	buf_done(&path);
	return status == 0 ? EXIT_OK : EXIT_FAILED;
}
