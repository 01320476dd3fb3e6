/* SPDX-License-Identifier: ISC */
#include "capture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "io/out.h"
#include "base/xalloc.h"
#include "text/quote.h"
#include "trace/trace.h"

void
capture_done(struct capture *c)
{
	free(c->stacks);
	free(c->frames);
	buf_done(&c->text);
	buf_done(&c->line);
	memset(c, 0, sizeof *c);
}

void
capture_stack(struct capture *c, uint32_t cpu)
{
	*xpush(c->stacks, c->n_stacks, c->cap_stacks) =
	    (struct cap_stack){cpu, c->n_frames, 0};
}

void
capture_frame(struct capture *c, size_t at)
{
	*xpush(c->frames, c->n_frames, c->cap_frames) =
	    (struct cap_frame){at, c->text.len - at};
	c->stacks[c->n_stacks - 1].n++;
}

bool
capture_has_room(const struct capture *c, size_t stacks, size_t frames)
{
	return c->n_stacks + stacks <= CAPTURE_STACKS_MAX &&
	       c->n_frames + frames <= CAPTURE_FRAMES_MAX &&
	       c->text.len <= CAPTURE_TEXT_MAX;
}

static int
by_cpu(const void *va, const void *vb)
{
	const struct cap_stack *a = va, *b = vb;

	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

static void
sort(struct capture *c)
{
	size_t n = 0;

	if (c->n_stacks == 0)
		return;
	qsort(c->stacks, c->n_stacks, sizeof *c->stacks, by_cpu);
	for (size_t i = 1; i < c->n_stacks; i++) {
		if (c->stacks[i].cpu != c->stacks[n].cpu)
			n++;
		c->stacks[n] = c->stacks[i];
	}
	c->n_stacks = n + 1;
}

/* It is written. */
static void
end(struct capture *c)
{
	c->captures++;
	c->stacks_put += c->n_stacks;
	c->n_stacks = c->n_frames = c->text.len = 0;
}

/* A name as one line holds it. */
static void
put_name(const char *p, size_t len)
{
	char *to;

	if (len == 0) {
		out_puts("??");
		return;
	}
	if (out.cap - out.len < len)
		out_room(len);
	to = out.p + out.len;
	for (size_t i = 0; i < len; i++) {
		unsigned char ch = (unsigned char)p[i];

		to[i] = (char)(ch == '\n' || ch == '\r' || ch == '\t' ? ' '
			       : ch < 0x20 || ch == 0x7f	      ? '?'
								      : ch);
	}
	out.len += len;
}

void
capture_put_trace(struct capture *c)
{
	sort(c);
	out_printf("[kst-capture seq=%" PRIu64 "]\n", c->captures + 1);
	for (size_t i = 0; i < c->n_stacks; i++) {
		const struct cap_stack *s = &c->stacks[i];
		uint64_t cpu = s->cpu;

		out_printf("Thread %" PRIu64 " (Thread 1.%" PRIu64
			   " (CPU#%" PRIu64 ")):\n",
		    cpu + 1, cpu + 1, cpu);
		for (size_t f = 0; f < s->n; f++) {
			const struct cap_frame *fr = &c->frames[s->first + f];

			trace_put_number(f);
			put_name(c->text.p + fr->at, fr->len);
			out_put(" ()\n", 4);
		}
	}
	end(c);
}

void
capture_put_json(struct capture *c)
{
	struct buf *b = &c->line;

	sort(c);
	b->len = 0;
	buf_adds(b, c->captures ? ",{" : "{");
	for (size_t i = 0; i < c->n_stacks; i++) {
		const struct cap_stack *s = &c->stacks[i];

		buf_printf(b, "%s\"%u\":[", i ? "," : "", s->cpu);
		for (size_t f = 0; f < s->n; f++) {
			const struct cap_frame *fr = &c->frames[s->first + f];

			if (f)
				buf_addc(b, ',');
			quote_json_to(b, c->text.p + fr->at, fr->len);
		}
		buf_addc(b, ']');
	}
	buf_addc(b, '}');
	out_put(b->p, b->len);
	end(c);
}
