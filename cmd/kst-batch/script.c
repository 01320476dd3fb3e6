/* SPDX-License-Identifier: ISC */
/* The worker's script: work.sh, after the steps of this run. */
#include <inttypes.h>
#include <stdio.h>

#include "batch.h"
#include "batch-work.h"

/* The steps as a pipe, and one after the other for each of the operands. */
static void
put_steps(struct buf *b, const struct steps *s)
{
	struct buf each = BUF_INIT;
	char from[20] = ".small", to[20], options[80];
	int n = 0;

	buf_adds(b, "steps() {\n");
	for (int i = STEP_SYM; i <= STEP_FOLD; i++) {
		if (s->step[i].n == 0)
			continue;
		if (n++)
			buf_adds(b, "| ");
		steps_command(s, i,
		    i == STEP_FOLD ? "--summary-fd 3 $shape $part"
				   : "--summary-fd 3 $shape",
		    b);
		if (i == STEP_FOLD)
			snprintf(to, sizeof to, "\"$tag\".folded");
		else
			snprintf(to, sizeof to, "\"$tag\".%d", n);
		snprintf(options, sizeof options, "--each %s:%s:\"$tag\".sum",
		    from, to);
		steps_command(s, i, options, &each);
		buf_adds(&each, "\"$@\"\n");
		snprintf(from, sizeof from, "%s", to);
	}
	buf_printf(b, "\n}\neach() {\n%s}\n", buf_str(&each));
	buf_done(&each);
}

int
script_write(const struct batch *b)
{
	const struct steps *steps = &b->o->steps;
	struct buf text = BUF_INIT, path = BUF_INIT;
	int status;

	buf_printf(&text,
	    "version='%s' picture=%s sent=%s workers=%" PRIu64 " block=%" PRIu64
	    " plain=%s folder=",
	    KST_VERSION, b->svg_key ? "yes" : "",
	    b->o->send && b->remote ? "yes" : "", b->workers, b->o->block,
	    steps_plain(steps) ? "--plain" : "");
	buf_quote(&text, b->cwd);
	if (b->o->joblog) {
		path_absolute(b, b->o->joblog, &path);
		buf_adds(&text, "log=");
		buf_quote(&text, path.p);
	}
	buf_addc(&text, '\n');
	put_steps(&text, steps);
	if (b->svg_key) {
		buf_adds(&text, "draw() {\n");
		steps_command(steps, STEP_SVG, "", &text);
		buf_adds(&text, "\n}\n");
	}
	buf_adds(&text, work_sh);
	path.len = 0;
	buf_printf(&path, "%s/work", b->dir.p);
	status = file_write(buf_str(&path), text.p, text.len);
	buf_done(&text);
	buf_done(&path);
	return status;
}
