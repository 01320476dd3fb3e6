/* SPDX-License-Identifier: ISC */
/*
 * Trace text: `#3  0xADDR in ?? ()` becomes as many frames as there are calls
 * at the address, and the frames behind it get higher numbers. As gdb prints
 * it, the innermost of them keeps the address, the others have none.
 */
#include <string.h>

#include "base/in.h"
#include "base/out.h"
#include "sym.h"
#include "text/trace.h"

struct state {
	struct sym *s;
	uint32_t last;	/* number of the frame before, as it was read */
	uint32_t shift; /* how many frames this stack has become longer */
	bool in_stack;
	bool after_signal;  /* the frame before was <signal handler called> */
	struct buf program; /* of a [kst-process] line; empty: none */
};

static void
end_stack(struct state *st)
{
	st->in_stack = false;
	st->after_signal = false;
	st->shift = 0;
}

static void
put_number(uint64_t n)
{
	char text[24];
	size_t at = sizeof text, len;

	text[--at] = ' ';
	if (n < 10)
		text[--at] = ' ';
	do
		text[--at] = (char)('0' + n % 10);
	while ((n /= 10) > 0);
	text[--at] = '#';
	len = sizeof text - at;
	out_put(text + at, len);
}

/*
 * A frame that is only an address: `0xADDR in ?? ()`, `0xADDR in ??`, or
 * `0xADDR`. *tail becomes what stands behind ` ()`, such as ` from FILE`.
 */
static bool
is_raw(const struct trace_line *t, uint64_t *addr, size_t *addr_len,
    const char **tail, size_t *tail_len)
{
	static const char unknown[] = " in ??";
	const char *p = t->frame, *end = p + t->frame_len;

	*addr_len = sym_address(p, t->frame_len, addr);
	if (*addr_len == 0)
		return false;
	p += *addr_len;
	if ((size_t)(end - p) >= sizeof unknown - 1 &&
	    memcmp(p, unknown, sizeof unknown - 1) == 0)
		p += sizeof unknown - 1;
	else if (p != end)
		return false;
	if (end - p >= 3 && memcmp(p, " ()", 3) == 0)
		p += 3;
	*tail = p;
	*tail_len = (size_t)(end - p);
	return p == end || *p == ' ';
}

static void
put_frame(struct state *st, const struct elfsym_frame *f)
{
	struct buf *b = &st->s->scratch;

	b->len = 0;
	sym_put_name(st->s, f, b);
	buf_adds(b, " ()");
	if (st->s->lines && f->file != NULL) {
		buf_adds(b, " at ");
		buf_add(b, f->file, f->file_len);
		buf_printf(b, ":%u", f->line);
	}
	out_put(b->p, b->len);
}

/* Writes the calls of a raw frame; false when it has no name. */
static bool
name_frame(struct state *st, const struct trace_line *t)
{
	const bool is_return = t->number > 0 && !st->after_signal;
	const struct elfsym_frame *f;
	uint64_t addr, number = (uint64_t)t->number + st->shift;
	size_t addr_len, tail_len, n;
	const char *tail;

	if (!is_raw(t, &addr, &addr_len, &tail, &tail_len))
		return false;
	n = sym_frames(
	    st->s, addr, is_return, st->program.p, st->program.len, &f);
	for (size_t i = 0; i < n; i++) {
		put_number(number + i);
		if (i == 0) {
			out_put(t->frame, addr_len);
			out_puts(" in ");
		}
		put_frame(st, &f[i]);
		if (i + 1 == n && !st->s->lines)
			out_put(tail, tail_len);
		out_putc('\n');
	}
	if (n > 1)
		st->shift += (uint32_t)(n - 1);
	return n > 0;
}

static void
take_frame(
    struct state *st, const struct trace_line *t, const char *line, size_t len)
{
	static const char signal[] = "<signal handler called>";
	bool named;

	if (!st->in_stack || t->number <= st->last)
		end_stack(st);
	st->in_stack = true;
	st->last = t->number;
	named = name_frame(st, t);
	st->after_signal = t->frame_len >= sizeof signal - 1 &&
			   memcmp(t->frame, signal, sizeof signal - 1) == 0;
	if (named)
		return;
	if (st->shift == 0) {
		out_put(line, len);
	} else {
		put_number((uint64_t)t->number + st->shift);
		out_put(t->frame, t->frame_len);
	}
	out_putc('\n');
}

static void
take_meta(struct state *st, const struct trace_line *t)
{
	static const char info[] = "[kst-capture-info ";
	static const char process[] = "[kst-process ";
	const char *value;
	size_t len;

	if (t->len > sizeof info && !memcmp(t->text, info, sizeof info - 1)) {
		if (trace_meta_get(t->text, t->len, "build-id", &value, &len))
			sym_check_build_id(st->s, value, len);
	} else if (t->len > sizeof process &&
		   !memcmp(t->text, process, sizeof process - 1)) {
		end_stack(st);
		st->program.len = 0;
		if (trace_meta_get(t->text, t->len, "name", &value, &len))
			buf_add(&st->program, value, len);
	}
}

static void
take_other(struct state *st, const struct trace_line *t)
{
	switch (t->kind) {
	case TRACE_META:
		take_meta(st, t);
		break;
	case TRACE_THREAD:
	case TRACE_CAPTURE:
	case TRACE_ROUND:
		st->program.len = 0;
		end_stack(st);
		break;
	case TRACE_STOPPED:
		end_stack(st);
		break;
	default:
		break;
	}
}

void
sym_trace(struct sym *s, struct in *in)
{
	struct state st = {.s = s};
	struct trace_reader reader = {0};
	unsigned file = in->file_no;
	struct trace_line t;
	const char *line;
	size_t len;

	while (in_more(in, file)) {
		bool joined = reader.cut.len > 0;

		in_next(in, &line, &len);
		trace_read(&reader, line, len, &t);
		if (reader.cut.len > 0) /* by a pager; the rest comes next */
			continue;
		if (joined) {
			line = t.text;
			len = t.len;
		}
		if (t.kind == TRACE_FRAME) {
			take_frame(&st, &t, line, len);
			continue;
		}
		take_other(&st, &t);
		out_put(line, len);
		out_putc('\n');
	}
	trace_reader_done(&reader);
	buf_done(&st.program);
}
