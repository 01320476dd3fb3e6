/* SPDX-License-Identifier: ISC */
/*
 * What bcc's profile, offcputime and stackcount print: a line a frame, leaf
 * first, kernel before user with `--` between them (option -d), then process
 * and weight; of stackcount, the process only with its option -P.
 *
 *	    vfs_read
 *	    --
 *	    read
 *	    -                dd (6773)
 *	        12
 */
#include "gather.h"

#include <string.h>

#include "base/bytes.h"
#include "base/num.h"

/* `Tracing 1 functions for "vfs_read"... Hit Ctrl-C to end.` */
static bool
is_stackcount(const char *line, size_t len)
{
	return bytes_starts(line, len, "Tracing ") &&
	       memmem(line, len, " functions for \"", 16) != NULL;
}

bool
formats_bcc_heading(struct gather *g, const char *line, size_t len)
{
	struct bcc *b = &g->bcc;

	b->stackcount = is_stackcount(line, len);
	return b->stackcount || bytes_starts(line, len, "Sampling at ") ||
	       bytes_starts(line, len, "Tracing off-CPU time ");
}

/* `-                NAME (PID)`, or stackcount's `NAME [PID]` */
static bool
is_process(struct bcc *b, const char *p, size_t len)
{
	const char open = b->stackcount ? '[' : '(';
	const char *pid;
	uint64_t n;

	if (len < 4 || p[--len] != open + (open == '(' ? 1 : 2))
		return false;
	if (!b->stackcount && (*p++ != '-' || *p != ' ' || --len == 0))
		return false;
	pid = memrchr(p, open, len);
	if (pid == NULL ||
	    num_u64(pid + 1, len - (size_t)(pid + 1 - p), &n) != 0)
		return false;
	len = line_trim(&p, (size_t)(pid - p));
	b->process.len = 0;
	buf_add(&b->process, p, len);
	return true;
}

/* Process, the kernel's stack, the user's, in btrace's newest form. */
static void
make_key(struct bcc *b)
{
	const char *text = b->frames.p;
	size_t user = b->frames.len - b->kernel;

	b->key.len = 0;
	if (b->process.len)
		buf_add(&b->key, b->process.p, b->process.len);
	buf_adds(&b->key, b->process.len ? ", \n" : "\n");
	if (b->kernel) {
		buf_add(&b->key, text, b->kernel);
		buf_adds(&b->key, "kernel\n, \n");
	}
	if (user)
		buf_add(&b->key, text + b->kernel, user);
	if (b->kernel)
		buf_adds(&b->key, "userland\n");
	b->frames.len = b->kernel = b->process.len = 0;
	b->ended = false;
}

void
formats_bcc(struct gather *g, const char *line, size_t len)
{
	struct bcc *b = &g->bcc;
	const char *p = line;
	size_t n = line_trim(&p, len);
	uint64_t weight;

	if (n == 0)
		return;
	if (p == line) {
		g->n.others += !gather_took_message(g, line, len);
	} else if ((b->ended || (b->stackcount && b->frames.len)) &&
		   num_u64(p, n, &weight) == 0) {
		make_key(b);
		gather_give(g, b->key.p, b->key.len, weight);
	} else if (bytes_is(p, n, "--")) {
		b->kernel = b->frames.len;
	} else if (is_process(b, p, n)) {
		b->ended = true;
	} else if (b->frames.len + n < KEY_MAX) {
		if (n > 3 && p[0] == 'b' && p[1] == '\'' && p[n - 1] == '\'') {
			p += 2; /* bytes, as some Pythons print them */
			n -= 3;
		}
		buf_add(&b->frames, p, n);
		buf_addc(&b->frames, '\n');
	}
}

/* Histograms and DTrace ---------------------------------------------------- */

void
formats_hist_end(struct gather *g)
{
	if (g->map.len) {
		if (g->hist_rows)
			gather_give(g, g->key.p, g->key.len, g->hist_sum);
		else
			gather_fault(g, GATHER_NO_VALUE, NULL, 0);
	}
	gather_reset(g);
}

bool
formats_hist(struct gather *g, const char *line, size_t len)
{
	size_t n = line_trim(&line, len);
	uint64_t count;

	if (n == 0 && g->hist_rows == 0)
		return true;
	if (!line_bucket(line, n, &count))
		return gather_took_message(g, line, n);
	g->hist_rows++;
	if (__builtin_add_overflow(g->hist_sum, count, &g->hist_sum)) {
		g->hist_sum = UINT64_MAX;
		gather_fault(g, GATHER_BAD_VALUE, line, n);
	}
	return true;
}

bool
formats_dtrace(struct gather *g, const char *line, size_t len)
{
	if (g->key.len || len < 3 || line[0] != ' ' || line[1] != ' ' ||
	    line[2] == ' ')
		return false;
	len = line_trim(&line, len);
	for (size_t i = 0; i < len; i++) {
		bool gap = line[i] == ' ' && line[i + 1] == ' ';

		buf_addc(&g->names, gap ? ',' : line[i]);
		while (gap && line[i + 2] == ' ')
			i++;
	}
	buf_adds(&g->names, ", \n");
	return true;
}
