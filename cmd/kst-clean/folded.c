/* SPDX-License-Identifier: ISC */
/* Cleans folded text. */
#include "clean.h"

#include "base/bytes.h"
#include "io/in.h"
#include "io/out.h"
#include "text/folded.h"

/* One blank between two counts, none after the last. */
static void
put_counts(const struct folded_line *f)
{
	for (int i = 0; i < f->n_counts; i++) {
		out_putc(' ');
		count_put(&f->count[i]);
	}
	out_putc('\n');
}

/* Whether a frame is a part of the function of the frame before, if any. */
static bool
is_part(struct clean *c, struct in *in, const struct memo_entry *n)
{
	const struct memo_entry *m;

	c->part.len = 0;
	buf_add(&c->part, memo_result(n), n->len);
	m = c->before ? clean_frame_name(c, in, c->before, c->before_len)
		      : NULL;
	return m != NULL && !(m->value & CLEAN_PART) &&
	       bytes_same(memo_result(m), m->len, c->part.p, c->part.len);
}

static void
give_folded(struct clean *c, struct in *in, const char *p, size_t len)
{
	const struct memo_entry *n = clean_frame_name(c, in, p, len);

	if (n->value & CLEAN_PART) {
		if (is_part(c, in, n))
			return;
		n = clean_frame_name(c, in, p, len);
	}
	c->before = p;
	c->before_len = len;
	if (!c->as_it_comes && !stack_add(&c->stack, n))
		clean_give_up(c, in, true);
	if (c->as_it_comes) {
		if (c->written > 0)
			out_putc(';');
		out_put(memo_result(n), n->len);
	}
	c->written++;
	c->frames++;
}

/* Without rules each frame is written at once, so depth does not matter. */
static void
take_folded(struct clean *c, struct in *in, const struct folded_line *f)
{
	const char *p = f->stack, *end = p + f->len, *stop;

	c->stacks++;
	stack_clear(&c->stack);
	c->as_it_comes = !c->renumber;
	c->written = 0;
	c->before = NULL;
	for (; p <= end; p = stop + 1) {
		size_t len;

		stop = folded_frame_end(p, end);
		len = (size_t)(stop - p);
		give_folded(c, in, p,
		    c->lines ? clean_take_line(&c->line, p, len) : len);
	}
	if (c->line.len)
		give_folded(c, in, c->line.p, c->line.len);
	if (!c->as_it_comes &&
	    !stack_apply(&c->stack, false, c->trim_unknown)) {
		c->dropped++;
		return;
	}
	stack_put(&c->stack, true);
	put_counts(f);
}

uint64_t
clean_folded(void *clean, struct in *in)
{
	struct clean *c = clean;
	uint64_t before = c->stacks;
	unsigned file = in->file_no;
	struct fault *bad = &c->faults[CLEAN_BAD_LINE];
	struct folded_line f;
	int kind;
	char sep;

	while ((kind = folded_next(in, file, bad, &f)) >= 0) {
		if (kind == FOLDED_STACK) {
			take_folded(c, in, &f);
		} else if (folded_trailer(f.line, f.line_len, &sep)) {
			out_put(f.line, f.line_len);
			out_putc('\n');
		}
	}
	return c->stacks - before;
}
