/* SPDX-License-Identifier: ISC */
/*
 * Other machines, which GNU parallel works on. When they do not share the file
 * system, it sends the job's folder and fetches it again.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
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
	setenv("KST_BATCH", b->dir.p, 1);
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
	snprintf(b->send_dir, sizeof b->send_dir, ".kst-batch-%ld-%" PRIx64,
	    (long)getpid(), (uint64_t)time(NULL));
}

static void
add_logins(const struct batch *b, struct words *w)
{
	struct buf path = BUF_INIT;

	path_absolute(b, b->o->hosts, &path);
	words_add(w, "--slf");
	words_add(w, path.p);
	buf_done(&path);
}

/* Options of GNU parallel that put the jobs on the hosts. */
void
hosts_arguments(const struct batch *b, struct words *w)
{
	static const char *const share[] = {
	    "--env", "KST_BATCH", "--line-buffer", NULL};
	/* what a job prints comes when its files have come */
	static const char *const send[] = {"--basefile", "work",
	    "--transferfile", "{}", "--return", "{}", "--workdir", NULL};
	struct buf path = BUF_INIT, name = BUF_INIT;
	char *dot;

	add_logins(b, w);
	words_add(w, "--filter-hosts");
	/* a job is tried again, where it has not failed, if it can be */
	words_addf(w, "--retries=%zu", b->n_hosts + 2);
	for (const char *const *p = b->o->send ? send : share; *p; p++)
		words_add(w, *p);
	if (!b->o->send)
		return;
	words_add(w, b->send_dir);
	for (int i = 0; i < STEPS; i++)
		for (size_t k = 1; k < b->o->steps.step[i].n; k++) {
			if (!steps_file(&b->o->steps, i, k, false, &name))
				continue;
			path_absolute(b, buf_str(&name), &path);
			/* or it would lie below the jobs' folder */
			while ((dot = strstr(path.p, "/./")))
				memmove(dot, dot + 2, strlen(dot + 2) + 1);
			words_add(w, "--basefile");
			words_add(w, path.p);
		}
	buf_done(&path);
	buf_done(&name);
}

void
hosts_clean(struct batch *b)
{
	struct words w = {0};

	words_add(&w, "parallel");
	words_add(&w, "--plain");
	words_add(&w, "--will-cite");
	words_add(&w, "--nonall");
	add_logins(b, &w);
	words_addf(&w, "exec 2>/dev/null; rm -rf %s", b->send_dir);
	(void)jobs_parallel(b, &w);
	words_done(&w);
}
