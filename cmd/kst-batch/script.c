/* SPDX-License-Identifier: ISC */
/* The worker's script: work.sh, after the steps of this run. */
#include <stdio.h>

#include "batch.h"
#include "batch-work.h"

/* Appends a word for the shell. */
static void
quote(struct buf *b, const char *s)
{
	buf_addc(b, '\'');
	for (; *s; s++)
		if (*s == '\'')
			buf_adds(b, "'\\''");
		else
			buf_addc(b, *s);
	buf_adds(b, "' ");
}

static void
command(struct buf *b, const struct words *w, const char *options)
{
	buf_printf(b, "%s %s ", w->v[0], options);
	for (size_t i = 1; i < w->n; i++)
		quote(b, w->v[i]);
}

/* The steps as a pipe, and one after the other for each of the operands. */
static void
put_steps(struct buf *b, const struct steps *s)
{
	struct buf each = BUF_INIT;
	char from[20] = ".in", to[20], options[80];
	int n = 0;

	buf_adds(b, "steps() {\n");
	for (int i = STEP_SYM; i <= STEP_FOLD; i++) {
		if (s->step[i].n == 0)
			continue;
		if (n++)
			buf_adds(b, "| ");
		command(b, &s->step[i],
		    i == STEP_FOLD ? "--summary-fd 3 $shape $part"
				   : "--summary-fd 3 $shape");
		if (i == STEP_FOLD)
			snprintf(to, sizeof to, "\"$tag\".folded");
		else
			snprintf(to, sizeof to, "\"$tag\".%d", n);
		snprintf(options, sizeof options, "--each %s:%s:\"$tag\".sum",
		    from, to);
		command(&each, &s->step[i], options);
		buf_adds(&each, "\"$@\"\n");
		snprintf(from, sizeof from, "%s", to);
	}
	buf_printf(b, "\n}\neach() {\n%s}\n", buf_str(&each));
	buf_done(&each);
}

int
script_write(const struct batch *b, const struct steps *steps)
{
	bool sent = b->remote && b->o->send;
	struct buf text = BUF_INIT, path = BUF_INIT;
	int status;

	buf_printf(&text, "version='%s' picture=%s folder=", KST_VERSION,
	    b->svg_key ? "yes" : "");
	quote(&text, sent ? "" : b->cwd);
	buf_addc(&text, '\n');
	put_steps(&text, steps);
	if (b->svg_key) {
		buf_adds(&text, "draw() {\n");
		command(&text, &steps->step[STEP_SVG], "");
		buf_adds(&text, "\n}\n");
	}
	buf_adds(&text, work_sh);
	buf_printf(&path, "%s/work", b->dir.p);
	status = file_write(buf_str(&path), text.p, text.len);
	buf_done(&text);
	buf_done(&path);
	return status;
}
