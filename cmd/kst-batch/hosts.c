/* SPDX-License-Identifier: ISC */
/*
 * Other machines: which of them can take part, and what they are sent when
 * they do not share the file system. All names of files that GNU parallel
 * gets to see are numbers; the real ones are behind symbolic links.
 */
#include <inttypes.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "batch.h"
#include "group.h"
#include "base/msg.h"
#include "base/xalloc.h"

struct host {
	char *line; /* of the file: an ssh login as GNU parallel reads it */
	pid_t pid;
};

/* How soon a login that does not answer is given up. */
#define PATIENCE                                 \
	"-o BatchMode=yes -o ConnectTimeout=10 " \
	"-o ServerAliveInterval=5 -o ServerAliveCountMax=3"

void
hosts_environment(const struct batch *b)
{
	const char *user = getenv("HOME");
	struct buf home = BUF_INIT;

	buf_printf(&home, "%s/parallel", b->dir.p);
	setenv("PARALLEL_SHELL", "/bin/sh", 1);
	/*
	 * Its folder keeps what it finds out about machines: the user's own,
	 * or where there can be none, one of this run.
	 */
	if (user == NULL || access(user, W_OK) != 0)
		setenv("PARALLEL_HOME", buf_str(&home), 0);
	setenv("PARALLEL_SSH", "ssh " PATIENCE, 0);
	if (b->o->send) /* follows the links that stand for the names */
		setenv("PARALLEL_RSYNC_OPTS", "-rLDzR", 1);
	buf_done(&home);
}

/*
 * The line of a host. Where it has an ssh command of its own, the limits of
 * patience are put behind the options, of which ssh takes the first ones.
 */
static char *
patient(const char *line)
{
	const char *slash = strchr(line, '/'), *login = strrchr(line, ' ');
	size_t digits = strspn(line, "0123456789");
	const char *command = slash == line + digits ? slash + 1 : line;
	struct buf b = BUF_INIT;
	char *text;

	if (login && strncmp(command, "ssh ", 4) == 0)
		buf_printf(&b, "%.*s " PATIENCE "%s", (int)(login - line), line,
		    login);
	else
		buf_adds(&b, line);
	text = xstrdup(buf_str(&b));
	buf_done(&b);
	return text;
}

static struct host *
read_hosts(const char *path, size_t *n)
{
	struct buf text = BUF_INIT;
	struct host *v = NULL;
	char *p, *line;

	if (file_read(path, &text) != 0)
		msg_die(EXIT_USAGE, "%s: %s", msg_str(path), strerror(errno));
	p = text.p;
	*n = 0;
	while ((line = text_field(&p, '\n'))) {
		line += strspn(line, " \t");
		line[strcspn(line, "\r")] = 0;
		for (size_t len = strlen(line);
		     len > 0 && strchr(" \t", line[len - 1]);)
			line[--len] = 0;
		if (*line == 0 || *line == '#')
			continue;
		v = xreallocn(v, *n + 1, sizeof *v);
		v[(*n)++] = (struct host){.line = patient(line)};
	}
	buf_done(&text);
	return v;
}

/* Asks a host for its version; the answer goes to the file `path`.out. */
static void
ask(const struct batch *b, struct host *h, const char *path)
{
	struct buf out = BUF_INIT;

	buf_printf(&out, "%s.out", path);
	if (file_write(path, h->line, strlen(h->line)) != 0)
		return;
	h->pid = group_fork();
	if (h->pid == 0) {
		int fd =
		    open(buf_str(&out), O_WRONLY | O_CREAT | O_TRUNC, 0666);
		int null = open("/dev/null", O_RDONLY);

		hosts_environment(b);
		dup2(null, 0);
		dup2(fd, 1);
		execlp("parallel", "parallel", "--plain", "--will-cite",
		    "--nonall", "-j1", "--slf", path, "kst-batch --version",
		    (char *)NULL);
		_exit(127);
	}
	buf_done(&out);
}

/* Whether the host has answered with this version; says it if not. */
static bool
answered(struct host *h, const char *path)
{
	static const char want[] = "kst-batch " KST_VERSION "\n";
	struct buf out = BUF_INIT, text = BUF_INIT;
	const char *login;
	bool good;
	int status;

	while (h->pid > 0 && waitpid(h->pid, &status, 0) < 0 && errno == EINTR)
		;
	buf_printf(&out, "%s.out", path);
	(void)file_read(buf_str(&out), &text);
	good =
	    text.len == sizeof want - 1 && memcmp(text.p, want, text.len) == 0;
	login = strrchr(h->line, ' ');
	login = login ? login + 1 : h->line;
	if (!good && text.len)
		msg("%s: has %s, not %s: left out", msg_str(login),
		    msg_text(text.p, strcspn(text.p, "\n")), KST_VERSION);
	else if (!good)
		msg("%s: no kst-batch answers: left out", msg_str(login));
	buf_done(&out);
	buf_done(&text);
	return good;
}

int
hosts_check(struct batch *b)
{
	struct buf path = BUF_INIT, good = BUF_INIT;
	size_t n;
	struct host *v = read_hosts(b->o->hosts, &n);
	int status;

	for (size_t i = 0; i < n; i++) {
		path.len = 0;
		buf_printf(&path, "%s/host-%zu", b->dir.p, i);
		ask(b, &v[i], buf_str(&path));
	}
	b->n_hosts = 0;
	for (size_t i = 0; i < n; i++) {
		const char *login = strrchr(v[i].line, '/');

		path.len = 0;
		buf_printf(&path, "%s/host-%zu", b->dir.p, i);
		login = login ? login + 1 : v[i].line;
		if (answered(&v[i], buf_str(&path))) {
			if (b->o->send && strcmp(login, ":") == 0) {
				msg(": is left out of --send, which needs ssh");
			} else {
				buf_printf(&good, "%s\n", v[i].line);
				b->n_hosts++;
			}
		}
		free(v[i].line);
	}
	free(v);
	path.len = 0;
	buf_printf(&path, "%s/hosts", b->dir.p);
	status = file_write(buf_str(&path), good.p, good.len);
	buf_done(&path);
	buf_done(&good);
	return status;
}

/* Options of GNU parallel that put the jobs on the hosts. */
void
hosts_arguments(const struct batch *b, struct words *w)
{
	struct buf arg = BUF_INIT;

	words_add(w, "--slf");
	buf_printf(&arg, "%s/hosts", b->dir.p);
	words_add(w, buf_str(&arg));
	/* a job is tried again, where it has not failed, if it can be */
	words_add(w, "--retries");
	arg.len = 0;
	buf_printf(&arg, "%zu", b->n_hosts + 2);
	words_add(w, buf_str(&arg));
	if (!b->o->send) {
		words_add(w, "--line-buffer");
	} else {
		/* what a job prints comes when its files have come */
		words_add(w, "--workdir");
		words_add(w, b->send_dir);
		words_add(w, "--basefile");
		words_add(w, "run");
		words_add(w, "--basefile");
		words_add(w, "dep");
		words_add(w, "--transferfile");
		words_add(w, "jobs/{}");
		words_add(w, "--return");
		words_add(w, "jobs/{}/out");
	}
	buf_done(&arg);
}

/* Takes what was sent from the hosts again. */
void
hosts_clean(const struct batch *b)
{
	struct buf slf = BUF_INIT, command = BUF_INIT;
	pid_t pid;

	buf_printf(&slf, "%s/hosts", b->dir.p);
	buf_printf(&command, "rm -rf %s", b->send_dir);
	pid = group_fork();
	if (pid == 0) {
		int null = open("/dev/null", O_RDWR);

		hosts_environment(b);
		dup2(null, 0);
		dup2(null, 2);
		execlp("parallel", "parallel", "--plain", "--will-cite",
		    "--nonall", "--slf", buf_str(&slf), buf_str(&command),
		    (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	buf_done(&slf);
	buf_done(&command);
}

/* A link dep/K/NAME to the file, and the word with that name in it. */
static int
send_word(const struct batch *b, struct words *to, const char *word,
    const char *value, const struct buf *path, size_t k)
{
	struct buf link = BUF_INIT, real = BUF_INIT, text = BUF_INIT;
	const char *name = strrchr(path->p, '/');
	size_t used = strlen(path->p), rest = strlen(value);
	int status;

	name = name ? name + 1 : path->p;
	buf_printf(&link, "%s/dep/%zu", b->dir.p, k);
	status = mkdir(buf_str(&link), 0777);
	buf_printf(&link, "/%s", name);
	if (*path->p != '/')
		buf_printf(&real, "%s/", b->cwd);
	buf_adds(&real, path->p);
	if (status == 0)
		status = symlink(buf_str(&real), buf_str(&link));
	buf_add(&text, word, (size_t)(value - word));
	buf_printf(&text, "../../dep/%zu/%s", k, name);
	/* NAME@BASE: the file was found under what stands before the @ */
	if (used < rest && strncmp(value, path->p, used) == 0)
		buf_adds(&text, value + used);
	words_add(to, buf_str(&text));
	buf_done(&link);
	buf_done(&real);
	buf_done(&text);
	return status;
}

int
hosts_send_steps(const struct batch *b, struct steps *to)
{
	const struct steps *from = &b->o->steps;
	struct buf path = BUF_INIT;
	size_t k = 0;
	int status;

	buf_printf(&path, "%s/dep", b->dir.p);
	status = mkdir(buf_str(&path), 0777);
	for (int i = 0; i < STEPS; i++)
		for (size_t w = 0; w < from->step[i].n && !status; w++) {
			const char *word = from->step[i].v[w], *value = NULL;

			if (w > 0)
				value = steps_file(from, i, w, &path);
			if (value == NULL) {
				words_add(&to->step[i], word);
				continue;
			}
			buf_str(&path);
			status =
			    send_word(b, &to->step[i], word, value, &path, k++);
		}
	buf_done(&path);
	return status;
}

int
hosts_send_unit(const struct batch *b, struct unit *u, uint64_t job)
{
	struct buf path = BUF_INIT;
	int status = 0;

	buf_printf(&path, "%s/jobs/%" PRIu64, b->dir.p, job);
	if (mkdir(buf_str(&path), 0777) == 0) {
		buf_adds(&path, "/in");
		status = mkdir(buf_str(&path), 0777);
		path.len -= 3;
	} else if (errno != EEXIST) {
		status = -1;
	}
	buf_printf(&path, "/in/%" PRIu64, u->id);
	if (status == 0)
		status = symlink(u->path, buf_str(&path));
	buf_done(&path);
	return status;
}

int
hosts_fetch_unit(const struct batch *b, uint64_t id, uint64_t job,
    const char *suffix, const char *to)
{
	struct buf path = BUF_INIT;
	int status;

	buf_printf(&path, "%s/jobs/%" PRIu64 "/out/%" PRIu64 "%s", b->dir.p,
	    job, id, suffix);
	status = rename(buf_str(&path), to);
	if (status != 0 && errno == ENOENT && make_parents(to) == 0)
		status = rename(path.p, to);
	buf_done(&path);
	return status;
}
