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

bool
bcc_is_heading(const char *line, size_t len)
{
	return bytes_starts(line, len, "Sampling at ") ||
	       bytes_starts(line, len, "Tracing off-CPU time ");
}

/* `-                NAME (PID)` */
static bool
is_process(struct bcc *b, const char *p, size_t len)
{
	const char *pid;

	if (len < 4 || p[0] != '-' || p[1] != ' ' || p[len - 1] != ')')
		return false;
	len = len - 1;
	p++;
	pid = memrchr(p, '(', len - 1);
	if (pid == NULL)
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
	buf_add(&b->key, b->process.p, b->process.len);
	buf_adds(&b->key, ", \n");
	if (b->kernel) {
		buf_add(&b->key, text, b->kernel);
		buf_adds(&b->key, "kernel\n, \n");
	}
	if (user)
		buf_add(&b->key, text + b->kernel, user);
	if (b->kernel)
		buf_adds(&b->key, "userland\n");
	b->frames.len = b->kernel = 0;
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
	if (b->ended && num_u64(p, n, weight) == 0) {
		make_key(b);
		return BCC_STACK;
	}
	if (bytes_is(p, n, "--")) {
		b->kernel = b->frames.len;
	} else if (is_process(b, p, n)) {
		b->ended = true;
	} else if (b->frames.len + n < KEY_MAX) {
		buf_add(&b->frames, p, n);
		buf_addc(&b->frames, '\n');
	}
	return BCC_PART;
}
