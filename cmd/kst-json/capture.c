/* SPDX-License-Identifier: ISC */
#include "capture.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "io/out.h"

void
capture_done(struct capture *c)
{
	free(c->stacks);
	buf_done(&c->text);
	buf_done(&c->scratch);
}

bool
capture_stack(struct capture *c, uint32_t cpu)
{
	if (c->n_stacks == CAPTURE_STACKS_MAX || c->names > CAPTURE_TEXT_MAX)
		return false;
	*xpush(c->stacks, c->n_stacks, c->cap_stacks) =
	    (struct cap_stack){cpu, c->text.len, 0};
	return true;
}

bool
capture_frame(struct capture *c, size_t name_len)
{
	if (c->n_frames == CAPTURE_FRAMES_MAX || c->names > CAPTURE_TEXT_MAX)
		return false;
	c->n_frames++;
	c->names += name_len;
	return true;
}

static int
by_cpu(const void *va, const void *vb)
{
	const struct cap_stack *a = va, *b = vb;

	if (a->cpu != b->cpu)
		return a->cpu < b->cpu ? -1 : 1;
	return (a->at > b->at) - (a->at < b->at);
}

static void
put_header(const struct capture *c)
{
	out_printf("[kst-capture seq=%" PRIu64, c->captures + 1);
	if (c->time)
		out_printf(" time=%" PRIu64 ".%03u", c->time / 1000,
		    (unsigned)(c->time % 1000));
	out_puts("]\n");
}

void
capture_put(struct capture *c, bool json)
{
	size_t n = c->n_stacks, end = c->text.len;
	const char *comma = "";

	for (size_t i = n; i-- > 0; end = c->stacks[i].at)
		c->stacks[i].len = end - c->stacks[i].at;
	if (n)
		qsort(c->stacks, n, sizeof *c->stacks, by_cpu);
	if (json)
		out_puts(c->captures ? ",{" : "{");
	else
		put_header(c);
	for (size_t i = 0; i < n; i++) {
		const struct cap_stack *s = &c->stacks[i];
		uint64_t cpu = s->cpu;

		if (i + 1 < n && s[1].cpu == cpu)
			continue;
		if (json)
			out_printf("%s\"%" PRIu64 "\":[", comma, cpu);
		else
			out_printf("Thread %" PRIu64 " (Thread 1.%" PRIu64
				   " (CPU#%" PRIu64 ")):\n",
			    cpu + 1, cpu + 1, cpu);
		if (s->len > 0)
			out_put(c->text.p + s->at, s->len);
		if (json)
			out_putc(']');
		comma = ",";
		c->stacks_put++;
	}
	if (json)
		out_putc('}');
	c->captures++;
	c->n_stacks = c->n_frames = c->names = c->text.len = 0;
	c->time = 0;
}
