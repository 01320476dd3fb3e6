/* SPDX-License-Identifier: ISC */
/*
 * Other machines, which GNU parallel works on. When they do not share the file
 * system, it sends the job's folder and fetches it again.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

void
hosts_read(struct batch *b)
{
	struct buf text = BUF_INIT;
	char *p, *line;

	if (file_read(b->o->hosts, &text) != 0)
		msg_die(EXIT_USAGE, "%s: %s", msg_str(b->o->hosts),
		    strerror(errno));
	p = text.p;
	while ((line = text_field(&p, '\n'))) {
		line += strspn(line, " \t\r");
		b->n_hosts += *line && *line != '#';
		line += strspn(line, "0123456789/");
		if (*line == ':' && b->o->send)
			msg_die(EXIT_USAGE,
			    "--send needs ssh: take ':' out of %s",
			    msg_str(b->o->hosts));
	}
	if (b->n_hosts == 0)
		msg_die(EXIT_USAGE, "%s has no login", msg_str(b->o->hosts));
	buf_done(&text);
}

/* Options of GNU parallel that put the jobs on the hosts. */
void
hosts_arguments(const struct batch *b, struct words *w)
{
	static const char *const send[] = {"--basefile", "work", "--basefile",
	    "dep", "--transferfile", "{}", "--return", "{}", "--workdir"};
	struct buf arg = BUF_INIT;

	words_add(w, "--slf");
	buf_printf(&arg, "%s%s%s", *b->o->hosts == '/' ? "" : b->cwd,
	    *b->o->hosts == '/' ? "" : "/", b->o->hosts);
	words_add(w, buf_str(&arg));
	words_add(w, "--filter-hosts");
	/* a job is tried again, where it has not failed, if it can be */
	words_add(w, "--retries");
	arg.len = 0;
	buf_printf(&arg, "%zu", b->n_hosts + 2);
	words_add(w, buf_str(&arg));
	buf_done(&arg);
	if (!b->o->send) {
		words_add(w, "--line-buffer");
		return;
	}
	/* what a job prints comes when its files have come */
	for (size_t i = 0; i < sizeof send / sizeof *send; i++)
		words_add(w, send[i]);
	words_add(w, b->send_dir);
}

void
hosts_clean(struct batch *b)
{
	struct buf command = BUF_INIT, slf = BUF_INIT;
	struct words w = {0};

	words_add(&w, "parallel");
	words_add(&w, "--plain");
	words_add(&w, "--will-cite");
	words_add(&w, "--nonall");
	words_add(&w, "--slf");
	buf_printf(&slf, "%s%s%s", *b->o->hosts == '/' ? "" : b->cwd,
	    *b->o->hosts == '/' ? "" : "/", b->o->hosts);
	words_add(&w, buf_str(&slf));
	buf_printf(&command, "exec 2>/dev/null; rm -rf %s", b->send_dir);
	words_add(&w, buf_str(&command));
	(void)jobs_parallel(b, &w);
	words_done(&w);
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
	buf_printf(&text, "dep/%zu/%s", k, name);
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
