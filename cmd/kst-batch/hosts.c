/* SPDX-License-Identifier: ISC */
/*
 * Items on other machines. GNU parallel hands out jobs, each a folder with a
 * link for each item; it is given numbers of jobs and not a single name of a
 * file, so that no name can be harmed by a shell in between. A host runs
 * `kst-batch --work JOB`, which writes JOB/TAG/NUMBER.folded and says
 * `NUMBER TAG OUTCOME`; TAG tells this attempt from others.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/msg.h"
#include "base/num.h"
#include "base/xalloc.h"
#include "io/job.h"
#include "io/out.h"
#include "batch.h"
#include "batch-scripts.h"

/*
 * A job costs a login, but a host that is lost is lost with its jobs: bytes of
 * text, and items, in a job; how many bytes an item costs beside its own.
 */
static const uint64_t job_min = 64 << 20, job_max = 768 << 20,
		      item_cost = 64 << 10;
enum { JOB_ITEMS = 2000, TRIES = 3 };

void
hosts_read(struct batch *b)
{
	struct buf text = BUF_INIT;
	char *p, *line;

	if (file_read(b->o->hosts, &text) != 0) {
		msg_errno("%s", msg_str(b->o->hosts));
		exit(msg_status(EXIT_USAGE));
	}
	p = text.p;
	while ((line = strsep(&p, "\n"))) {
		uint64_t cores;
		char slash;

		line += strspn(line, " \t\r");
		if (*line == 0 || *line == '#')
			continue;
		if (sscanf(line, "%" SCNu64 "%c", &cores, &slash) != 2 ||
		    slash != '/' || cores == 0)
			cores = 8; /* a guess: they are counted there */
		b->n_hosts++;
		b->n_slots += b->o->jobs ? b->o->jobs : cores;
		line += strspn(line, "0123456789/");
		if (*line == ':' && b->o->send)
			msg_die(EXIT_USAGE,
			    "--send works only over ssh: remove the "
			    "line with ':' from %s",
			    msg_str(b->o->hosts));
	}
	if (b->n_hosts == 0)
		msg_die(
		    EXIT_USAGE, "%s names no machine", msg_str(b->o->hosts));
	buf_done(&text);
}

static void
put_variable(struct buf *b, const char *name, const char *value)
{
	buf_printf(b, "%s=", name);
	buf_quote(b, value);
	buf_addc(b, '\n');
}

/* Options of GNU parallel that send the files of a step. */
static void
put_files(const struct batch *b, int step, struct buf *options)
{
	const struct words *words = &b->o->steps[step];
	struct buf name = BUF_INIT;

	for (size_t i = 1; i < words->n; i++) {
		char *path, *dot;

		if (!steps_file(step, words->v[i], false, &name))
			continue;
		path = xstrdup(path_absolute(b, buf_str(&name)));
		/* or it would lie below the jobs' folder */
		while ((dot = strstr(path, "/./")))
			memmove(dot, dot + 2, strlen(dot + 2) + 1);
		buf_adds(options, "--basefile ");
		buf_quote(options, path);
		free(path);
	}
	buf_done(&name);
}

/* What GNU parallel's jobs run, in the folder that options are relative to. */
static int
write_work(const struct batch *b)
{
	struct buf work = BUF_INIT;
	const struct opt_list *l = &b->o->step_options;
	int status;

	buf_adds(&work, "run=$PWD\ncd ");
	buf_quote(&work, b->cwd);
	buf_printf(&work, "2>/dev/null || [ %d = 1 ] || exit\n", b->o->send);
	buf_adds(&work, "exec kst-batch -q -j1 --block 0 --work \"$run/$1\" ");
	for (size_t i = 0; i < l->n; i++) {
		buf_printf(&work, "--%s=", l->use[i].name);
		buf_quote(&work, l->use[i].arg);
	}
	buf_printf(&work, "%s\n", b->o->send ? "--send" : "");
	status = file_write(text_of("%s/work", b->dir), work.p, work.len);
	buf_done(&work);
	return status;
}

static int
write_run(const struct batch *b)
{
	const struct options *o = b->o;
	struct buf run = BUF_INIT;
	int status;

	put_variable(&run, "version", KST_VERSION);
	put_variable(&run, "bar", b->bar ? "yes" : "");
	put_variable(&run, "tries", text_of("%zu", b->n_hosts + 2));
	put_variable(
	    &run, "jobs", o->jobs ? text_of("%" PRIu64, o->jobs) : "100%");
	put_variable(&run, "sent", o->send ? "yes" : "");
	put_variable(&run, "here", b->dir);
	put_variable(&run, "hosts", path_absolute(b, o->hosts));
	put_variable(&run, "log", o->joblog ? path_absolute(b, o->joblog) : "");
	buf_adds(&run, "set -- \"$1\" ");
	for (int i = 0; i < STEPS; i++)
		put_files(b, i, &run);
	buf_printf(&run, "\n%s", run_sh);
	status = file_write(text_of("%s/run", b->dir), run.p, run.len);
	buf_done(&run);
	return status;
}

/* All hosts have some jobs. */
static uint64_t
job_size(const struct batch *b, uint64_t all)
{
	uint64_t least = all / (4 * b->n_hosts), size = all / (2 * b->n_slots);

	least = least < job_min ? least : job_min;
	size = size > least ? size : least;
	return size < job_max ? size : job_max;
}

static int
make_jobs(const struct batch *b, struct item **v, size_t n)
{
	uint64_t all = n * item_cost, cost = 0, job = 0;
	size_t in_job = 0;

	for (size_t k = 0; k < n; k++)
		all += v[k]->work;
	for (size_t k = 0; k < n; k++) {
		const char *path = text_of("%s/%" PRIu64 "/%zu%s", b->dir, job,
		    k, v[k]->draw_only ? ".draw" : "");

		v[k]->job = job;
		if (make_parents(path) != 0 ||
		    symlink(v[k]->draw_only ? item_output(b, v[k], ".folded")
					    : v[k]->path,
			path) != 0)
			return -1;
		cost += v[k]->work + item_cost;
		if (++in_job < JOB_ITEMS && cost < job_size(b, all))
			continue;
		job++;
		cost = in_job = 0;
	}
	return 0;
}

void
hosts_take(struct batch *b, struct item **v, size_t n, char *line)
{
	char *number = strsep(&line, " "), *tag = strsep(&line, " ");
	struct outcome r;
	struct item *i;
	char *base;
	uint64_t k;

	if (line == NULL || *tag == '.' || strchr(tag, '/') ||
	    num_u64(number, strlen(number), &k) != 0 || k >= n || v[k]->done ||
	    !outcome_parse(line, &r))
		return;
	i = v[k];
	base = xstrdup(
	    text_of("%s/%" PRIu64 "/%s/%" PRIu64, b->dir, i->job, tag, k));
	/* what has not come to its last file is done again */
	if (r.status == STATUS_FAILED ||
	    ((i->draw_only ||
		 file_size(text_of("%s.folded", base)) == r.folded) &&
		(b->svg_key == 0 ||
		    file_size(text_of("%s.svg", base)) == r.svg))) {
		item_begin(i);
		r.key = i->made.key;
		r.size = i->made.size;
		r.mtime = i->made.mtime;
		if (i->draw_only) {
			i->made.svg = r.svg;
			outcome_fault(&i->made, (enum status)r.status, r.line,
			    "%s", r.what);
			free(r.what);
		} else {
			i->made = r;
		}
		report_result(b, i, base);
	} else {
		free(r.what);
	}
	free(base);
}

/*
 * As it begins, GNU parallel starts processes that only sleep, for hours. If it
 * is killed then, they keep its output open: they are in its group, and end
 * with it.
 */
static void
end_with(pid_t pid)
{
	siginfo_t ended = {.si_pid = 0};

	if (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) ==
		0 &&
	    ended.si_pid == pid)
		kill(-pid, SIGKILL);
}

/* Takes what jobs say, until GNU parallel has ended. */
static void
read_jobs(struct batch *b, struct item **v, size_t n, int from, pid_t pid)
{
	struct pollfd p = {from, POLLIN, 0};
	struct buf text = BUF_INIT;
	char part[4096], *nl;
	ssize_t len = 1;

	while (len != 0 && job_asked() == 0) {
		end_with(pid);
		if (poll(&p, 1, 20) <= 0)
			continue;
		len = read(from, part, sizeof part);
		if (len > 0)
			buf_add(&text, part, (size_t)len);
		while (text.len && (nl = memchr(text.p, '\n', text.len))) {
			size_t line = (size_t)(nl + 1 - text.p);

			*nl = 0;
			hosts_take(b, v, n, text.p);
			text.len -= line;
			memmove(text.p, nl + 1, text.len);
		}
	}
	buf_done(&text);
}

/*
 * `start` runs the jobs in the list, `clean` removes what the hosts were sent.
 * 1: no host answers, or there is no GNU parallel.
 */
static int
parallel(struct batch *b, const char *what, struct item **v, size_t n)
{
	char *argv[] = {(char *)"sh",
	    (char *)(uintptr_t)text_of("%s/run", b->dir),
	    (char *)(uintptr_t)what, NULL};
	int p[2];
	int status;
	pid_t pid;

	if (pipe2(p, O_CLOEXEC) != 0)
		return -1;
	pid = job_start(
	    &(struct job){.argv = argv, .out = p[1], .foreign = true});
	close(p[1]);
	if (pid > 0)
		read_jobs(b, v, n, p[0], pid);
	close(p[0]);
	/* a first SIGTERM ends its jobs, a second one kills them */
	for (int k = 0; pid > 0 && k < 2 && job_asked() > 0; k++)
		kill(pid, SIGTERM);
	status = job_wait(pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return 1;
	return pid > 0 ? 0 : -1;
}

/* The jobs of which something is not done, one a line; 0: there are none. */
static int
list_undone(const struct batch *b, struct item **v, size_t n)
{
	struct buf list = BUF_INIT;
	uint64_t last = UINT64_MAX;
	int status = 0;

	for (size_t k = 0; k < n; k++)
		if (!v[k]->done && v[k]->job != last)
			buf_printf(&list, "%" PRIu64 "\n", last = v[k]->job);
	if (list.len)
		status =
		    file_write(text_of("%s/list", b->dir), list.p, list.len)
			? -1
			: 1;
	buf_done(&list);
	return status;
}

int
hosts_run(struct batch *b, struct item **v, size_t n)
{
	int status =
	    write_work(b) != 0 || write_run(b) != 0 ? -1 : make_jobs(b, v, n);

	/* what did not come back is done by those that answer */
	for (int k = 0; status == 0 && k < TRIES && job_asked() == 0; k++) {
		status = list_undone(b, v, n);
		if (status <= 0)
			break;
		status = parallel(b, "start", v, n);
	}
	if (b->o->send)
		(void)parallel(b, "clean", v, n);
	return status < 0 ? -1 : 0;
}

/* On a host ----------------------------------------------------------------
 */

/* The items of a job: links, or files that were sent. */
static int
find_items(struct batch *b)
{
	DIR *d = opendir(b->o->work);
	struct dirent *e;
	struct stat st;

	while (d && (e = readdir(d))) {
		char *path;
		struct item *i;

		if (*e->d_name < '0' || *e->d_name > '9')
			continue;
		path = words_addf(&b->texts, "%s/%s", b->o->work, e->d_name);
		if (stat(path, &st) != 0 || !S_ISREG(st.st_mode))
			continue;
		i = xpush(b->items.v, b->items.n, b->items.cap);
		*i = (struct item){.path = path,
		    .size = (uint64_t)st.st_size,
		    .rel = words_addf(&b->texts, "%.*s",
			(int)strcspn(e->d_name, "."), e->d_name),
		    .draw_only = strchr(e->d_name, '.') != NULL};
	}
	if (d)
		closedir(d);
	return d ? 0 : -1;
}

int
hosts_work(struct batch *b)
{
	struct item **v;
	struct utsname name;

	uname(&name);
	b->tag = words_addf(&b->texts, "%s-%ld", name.nodename, (long)getpid());
	b->out = b->dir = words_addf(&b->texts, "%s/%s", b->o->work, b->tag);
	if (find_items(b) != 0 || mkdir(b->dir, 0777) != 0)
		return EXIT_SYSTEM;
	v = xcalloc(b->items.n + 1, sizeof *v);
	for (size_t k = 0; k < b->items.n; k++) {
		v[k] = &b->items.v[k];
		v[k]->work = v[k]->size;
	}
	pass_run(b, v, b->items.n);
	free(v);
	return EXIT_OK;
}
