/* SPDX-License-Identifier: ISC */
/*
 * Folded text: a frame `0xADDR` becomes the calls at the address, the
 * function first, then what was inlined in it.
 */
#include "text/folded.h"
#include <inttypes.h>

#include "base/bytes.h"
#include "io/in.h"
#include "io/out.h"
#include "sym.h"

/* One frame of the stack; is_return: not the leaf, not what a trap stopped. */
static void
take_frame(struct sym *s, const char *p, size_t len, bool is_return)
{
	const struct elfsym_frame *f;
	uint64_t addr;
	size_t n = 0;

	s->frames++;
	if (len > 2 && p[0] == '0' && sym_address(p, len, &addr) == len)
		n = sym_frames(s, addr, is_return, NULL, 0, &f);
	if (n == 0)
		out_put(p, len);
	while (n-- > 0) {
		const struct buf *b = sym_text(s, &f[n], "");

		if (s->addresses)
			out_printf("0x%" PRIx64 " in ", addr);
		s->text.len = 0;
		folded_add_name(&s->text, b->p, b->len);
		out_put(s->text.p, s->text.len);
		if (n > 0)
			out_putc(';');
	}
}

static void
take_stack(struct sym *s, const struct folded_line *f)
{
	const char *p = f->stack, *end = p + f->len;

	for (;;) {
		const char *stop = folded_frame_end(p, end);
		const bool leaf = stop == end;

		take_frame(s, p, (size_t)(stop - p),
		    !leaf && !bytes_starts(stop + 1, (size_t)(end - stop - 1),
				 "<signal handler called>"));
		if (leaf)
			return;
		out_putc(';');
		p = stop + 1;
	}
}

uint64_t
sym_folded(void *sym, struct in *in)
{
	struct sym *s = sym;
	unsigned file = in->file_no;
	uint64_t stacks = 0;
	struct folded_line f;
	int kind;

	while ((kind = folded_next(in, file, &s->bad, &f)) >= 0) {
		size_t stack = 0;

		if (kind == FOLDED_STACK) {
			take_stack(s, &f);
			stacks++;
			stack = (size_t)(f.stack + f.len - f.line);
		}
		/* the counts or a comment, as they were written */
		out_put(f.line + stack, f.line_len - stack);
		out_putc('\n');
	}
	return stacks;
}
