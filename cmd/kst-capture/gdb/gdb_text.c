/* SPDX-License-Identifier: ISC */
/* Finds where gdb's backtrace limit has cut a stack, and counts the stacks. */
#include "gdb/gdb_text.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/buf.h"
#include "base/num.h"
#include "guest/sample.h"

/* The address of a leaf frame, `0x... in f ()`; 0 if it has none. */
static uint64_t
leaf_address(const char *p, const char *end)
{
	const char *stop = memchr(p, ' ', (size_t)(end - p));
	uint64_t addr;

	if (stop == NULL || stop - p < 3 || memcmp(p, "0x", 2) != 0 ||
	    num_hex(p + 2, (size_t)(stop - p) - 2, &addr) != 0)
		return 0;
	return addr;
}

static void
count_stacks(struct sample *s)
{
	const char *p = s->text.p, *end = p + s->text.len, *nl;

	for (; p < end && (nl = memchr(p, '\n', (size_t)(end - p)));
	     p = nl + 1) {
		size_t len = (size_t)(nl - p);

		if (bytes_starts(p, len, "#0  "))
			sample_stack(s, leaf_address(p + 4, nl), false);
		else if (bytes_starts(p, len, "Backtrace stopped:"))
			ends_note(&s->ends, p, len);
	}
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

void
gdb_text_finish(struct sample *s, int frames_max)
{
	char last[24];
	int n = snprintf(last, sizeof last, "\n#%d ", frames_max - 1);

	if (s->text.len == 0)
		return;
	if (memmem(s->text.p, s->text.len, last, (size_t)n))
		mark_cut(&s->text, last, frames_max);
	if (s->text.p[s->text.len - 1] != '\n')
		buf_addc(&s->text, '\n');
	count_stacks(s);
}
