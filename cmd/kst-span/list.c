/* SPDX-License-Identifier: ISC */
/* The listing: a line for each span, when it ends. */
#include "span.h"

#include "io/out.h"

/* Nanoseconds as seconds with nine places. */
static void
put_seconds(uint64_t ns)
{
	char s[24];
	size_t n = event_u64(s, ns / 1000000000);
	uint64_t frac = ns % 1000000000;

	s[n] = '.';
	for (size_t i = n + 9; i > n; frac /= 10)
		s[i--] = (char)('0' + frac % 10);
	out_put(s, n + 10);
}

static void
put_result(const struct event_args *a)
{
	if (a->mark) {
		out_putc(' ');
		out_putc((char)a->mark);
	}
	if (a->len) {
		out_putc(' ');
		out_put(a->text, a->len);
	}
}

void
list_span(void *ctx, const struct span *s)
{
	struct list *l = ctx;
	const struct name *name = &l->p->names[s->name];
	char digits[20];

	if (l->n++ >= l->most)
		return;

	put_seconds(s->start);
	out_putc('\t');
	out_put(s->track->name, s->track->name_len);
	out_putc('\t');
	out_put(digits, event_u64(digits, s->depth));
	out_putc('\t');
	if (s->kind == EVENT_END && !s->no_begin)
		put_seconds(s->dur);
	else
		out_putc('-');
	out_putc('\t');
	out_put(name->p, name->len);
	if (s->in.mark == EVENT_TEXT && s->kind != EVENT_LOST) {
		out_putc('(');
		if (s->no_begin)
			out_puts("?");
		else
			out_put(s->in.text, s->in.len);
		out_putc(')');
	} else {
		put_result(&s->in);
	}
	if (s->no_end)
		out_puts(" = ?");
	put_result(&s->result);
	if (s->no_end || s->no_begin || s->in.repaired || s->result.repaired)
		out_puts(" ~");
	out_putc('\n');
}
