/* SPDX-License-Identifier: ISC */
/*
 * Other machines: which of them can take part, and what they are sent when
 * they do not share the file system. All names of files that GNU parallel
 * gets to see are numbers, which are symbolic links to the real ones.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "batch.h"

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

/* The lines of the file that are logins, for GNU parallel. */
static void
read_logins(const struct batch *b, struct buf *logins)
{
	struct buf text = BUF_INIT;
	char *p, *line;

	if (file_read(b->o->hosts, &text) != 0)
		msg_die(EXIT_USAGE, "%s: %s", msg_str(b->o->hosts),
		    strerror(errno));
	p = text.p;
	while ((line = text_field(&p, '\n'))) {
		size_t len;

		line += strspn(line, " \t");
		len = strcspn(line, "\r");
		while (len > 0 && strchr(" \t", line[len - 1]))
			len--;
		if (len > 0 && *line != '#')
			buf_printf(logins, "%.*s\n", (int)len, line);
	}
	buf_str(logins);
	buf_done(&text);
}

/* Asks each of the hosts in the file for its version, all at once. */
static int
ask(const struct batch *b, const char *logins, const char *answers)
{
	pid_t pid = group_fork();

	if (pid == 0) {
		int in = open("/dev/null", O_RDONLY),
		    out = open(answers, O_WRONLY | O_CREAT | O_TRUNC, 0666);

		hosts_environment(b);
		dup2(in, 0);
		dup2(out, 1);
		execlp("parallel", "parallel", "--plain", "--will-cite",
		    "--nonall", "--tag", "-j0", "--timeout", "30", "--slf",
		    logins, "kst-batch --version", (char *)NULL);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return pid > 0 ? 0 : -1;
}

/* What a host has answered, or NULL; an answer is `LOGIN<TAB>TEXT`. */
static const char *
answer_of(const char *login, const char *answers, size_t *len)
{
	size_t n = strlen(login);

	for (const char *p = answers; p; p = strchr(p, '\n')) {
		p += *p == '\n';
		if (strncmp(p, login, n) == 0 && p[n] == '\t') {
			*len = strcspn(p + n + 1, "\n");
			return p + n + 1;
		}
	}
	return NULL;
}

/* Whether the host can take part; says why not. */
static bool
is_good(const struct batch *b, const char *line, const char *answers)
{
	static const char want[] = "kst-batch " KST_VERSION;
	const char *login = line + strspn(line, "0123456789"), *answer, *name;
	size_t len;

	login = *login == '/' ? login + 1 : line;
	name = strrchr(login, ' ');
	name = name ? name + 1 : login;
	answer = answer_of(login, answers, &len);
	if (answer == NULL)
		msg("%s: no kst-batch answers: left out", msg_str(name));
	else if (!bytes_is(answer, len, want))
		msg("%s: has %s, not %s: left out", msg_str(name),
		    msg_text(answer, len), KST_VERSION);
	else if (b->o->send && strcmp(login, ":") == 0)
		msg(": is left out of --send, which needs ssh");
	else
		return true;
	return false;
}

int
hosts_check(struct batch *b)
{
	struct buf path = BUF_INIT, answers = BUF_INIT, text = BUF_INIT,
		   logins = BUF_INIT, good = BUF_INIT;
	char *p, *line;
	int status;

	buf_printf(&path, "%s/hosts", b->dir.p);
	buf_printf(&answers, "%s/answers", b->dir.p);
	read_logins(b, &logins);
	status = file_write(buf_str(&path), logins.p, logins.len);
	if (status == 0)
		status = ask(b, path.p, buf_str(&answers));
	if (status == 0)
		status = file_read(answers.p, &text);
	b->n_hosts = 0;
	for (p = logins.p; status == 0 && (line = text_field(&p, '\n'));)
		if (*line && is_good(b, line, text.p)) {
			buf_printf(&good, "%s\n", line);
			b->n_hosts++;
		}
	if (status == 0)
		status = file_write(path.p, good.p, good.len);
	buf_done(&path);
	buf_done(&answers);
	buf_done(&text);
	buf_done(&logins);
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
hosts_send_unit(const struct batch *b, const struct unit *u, uint64_t job)
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
	status = file_rename(buf_str(&path), to);
	buf_done(&path);
	return status;
}
