/* SPDX-License-Identifier: ISC */
#include "bcc.h"

#include <string.h>

#include "base/bytes.h"
#include "base/num.h"
#include "gather.h"
#include "lines.h"

void
bcc_done(struct bcc *b)
{
	buf_done(&b->key);
	buf_done(&b->frames);
	buf_done(&b->process);
}

/* `Tracing 1 functions for "vfs_read"... Hit Ctrl-C to end.` */
static bool
is_stackcount(const char *line, size_t len)
{
	return bytes_starts(line, len, "Tracing ") &&
	       memmem(line, len, " functions for \"", 16) != NULL;
}

bool
bcc_is_heading(struct bcc *b, const char *line, size_t len)
{
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

enum bcc_line
bcc_line(struct bcc *b, const char *line, size_t len, uint64_t *weight)
{
	const char *p = line;
	size_t n = line_trim(&p, len);

	if (n == 0)
		return BCC_PART;
	if (p == line)
		return BCC_OTHER;
	if ((b->ended || (b->stackcount && b->frames.len)) &&
	    num_u64(p, n, weight) == 0) {
		make_key(b);
		return BCC_STACK;
	}
	if (bytes_is(p, n, "--")) {
		b->kernel = b->frames.len;
	} else if (is_process(b, p, n)) {
		b->ended = true;
	} else if (b->frames.len + n < KEY_MAX) {
		if (n > 3 && p[0] == 'b' && p[1] == '\'' && p[n - 1] == '\'') {
			p += 2; /* bytes, as some versions of Python print them
				 */
			n -= 3;
		}
		buf_add(&b->frames, p, n);
		buf_addc(&b->frames, '\n');
	}
	return BCC_PART;
}
