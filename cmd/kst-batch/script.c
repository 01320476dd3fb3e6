/* SPDX-License-Identifier: ISC */
/* The scripts of a run: run.sh and work.sh, after what they are to know. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
#include "base/xalloc.h"
#include "batch.h"
#include "batch-scripts.h"

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
			cores = 8; /* a guess: GNU parallel counts them */
		b->n_hosts++;
		b->n_slots += b->o->jobs ? b->o->jobs : cores;
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

/* The steps as a pipe, and one after the other for each of the operands. */
static void
put_steps(struct buf *b, const struct words *steps)
{
	static const char *const made[] = {".1", ".2", ".folded"};
	const char *from = ".small";
	struct buf each = BUF_INIT;

	buf_adds(b, "steps() {\n");
	for (int i = STEP_SYM; i <= STEP_FOLD; i++) {
		if (steps[i].n == 0)
			continue;
		steps_command(&steps[i],
		    i == STEP_FOLD ? "--summary-fd 3 $shape $part"
				   : "--summary-fd 3 $shape",
		    b);
		buf_adds(b, i == STEP_FOLD ? "\n}\neach() {\n" : "| ");
		steps_command(&steps[i],
		    text_of("--each %s:%s:.sum", from, made[i]), &each);
		buf_adds(&each, "\"$@\"\n");
		from = made[i];
	}
	buf_printf(b, "%s}\n", buf_str(&each));
	buf_done(&each);
}

static void
put_variable(struct buf *b, const char *name, const char *value)
{
	buf_printf(b, "%s=", name);
	buf_quote(b, value);
	buf_addc(b, '\n');
}

/* Variables of both scripts: of this run, and of these jobs. */
static void
put_variables(const struct batch *b, uint64_t jobs, struct buf *text)
{
	const struct options *o = b->o;
	bool all = b->remote && o->jobs == 0;

	put_variable(text, "version", KST_VERSION);
	put_variable(text, "picture", b->svg_key ? "yes" : "");
	put_variable(text, "plain", steps_plain(o->steps) ? "--plain" : "");
	put_variable(text, "bar", b->bar ? "yes" : "");
	put_variable(text, "workers", text_of("%" PRIu64, b->workers));
	put_variable(text, "block", text_of("%" PRIu64, o->block));
	put_variable(text, "tries", text_of("%zu", b->n_hosts + 2));
	put_variable(text, "jobs", all ? "100%" : text_of("%" PRIu64, jobs));
	put_variable(text, "sent", b->remote && o->send ? "yes" : "");
	put_variable(text, "here", b->dir);
	put_variable(text, "folder", b->cwd);
	put_variable(
	    text, "hosts", b->remote ? path_absolute(b, o->hosts) : "");
	put_variable(text, "log", o->joblog ? path_absolute(b, o->joblog) : "");
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

int
script_write(const struct batch *b, uint64_t jobs)
{
	struct buf run = BUF_INIT, work = BUF_INIT;
	int status;

	put_variables(b, jobs, &run);
	buf_add(&work, run.p, run.len);
	buf_adds(&run, "set -- \"$1\" ");
	for (int i = 0; i < STEPS; i++)
		put_files(b, i, &run);
	buf_printf(&run, "\n%s", run_sh);
	put_steps(&work, b->o->steps);
	if (b->svg_key) {
		buf_adds(&work, "draw() {\n");
		steps_command(&b->o->steps[STEP_SVG], "", &work);
		buf_adds(&work, "\n}\n");
	}
	buf_adds(&work, work_sh);
	status = file_write(text_of("%s/run", b->dir), run.p, run.len);
	if (status == 0)
		status =
		    file_write(text_of("%s/work", b->dir), work.p, work.len);
	buf_done(&run);
	buf_done(&work);
	return status;
}
