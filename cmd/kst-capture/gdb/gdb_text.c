/* SPDX-License-Identifier: ISC */
/* The only file that knows where gdb's backtrace limit has cut a stack. */
#include "gdb/gdb_text.h"

#include <stdio.h>
#include <string.h>

static unsigned
count_stacks(const struct buf *text)
{
	const char *p = text->p, *end = p + text->len;
	unsigned n = 0;

	for (; p < end && (p = memmem(p, (size_t)(end - p), "#0  ", 4)); p += 4)
		n += p == text->p || p[-1] == '\n';
	return n;
}

/* Appends the line that marks a cut stack to each that has a frame `last`. */
static void
mark_cut(struct buf *text, const char *last, int frames_max)
{
	struct buf whole = BUF_INIT;
	const char *at = text->p, *end = at + text->len, *hit;

	while ((hit = memmem(at, (size_t)(end - at), last, strlen(last)))) {
		const char *nl = memchr(hit + 1, '\n', (size_t)(end - hit - 1));

		nl = nl ? nl + 1 : end;
		buf_add(&whole, at, (size_t)(nl - at));
		buf_printf(&whole, "Backtrace stopped: limit of %d frames\n",
		    frames_max);
		at = nl;
	}
	buf_add(&whole, at, (size_t)(end - at));
	buf_done(text);
	*text = whole;
}

unsigned
gdb_text_finish(struct buf *text, int frames_max)
{
	char last[24];
	int n = snprintf(last, sizeof last, "\n#%d ", frames_max - 1);

	if (text->len == 0)
		return 0;
	if (memmem(text->p, text->len, last, (size_t)n))
		mark_cut(text, last, frames_max);
	if (text->p[text->len - 1] != '\n')
		buf_addc(text, '\n');
	return count_stacks(text);
}
