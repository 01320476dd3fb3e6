/* SPDX-License-Identifier: ISC */
/*
 * Trace text: `#3  0xADDR in ?? ()` becomes a frame for each call at the
 * address, and later frames get higher numbers. As in gdb, only the innermost
 * keeps the address.
 */

#include "base/bytes.h"
#include "io/in.h"
#include "io/out.h"
#include "sym.h"
#include "trace/stacks.h"

struct state {
	struct sym *s;
	struct stacks in;
	uint32_t shift;	     /* how many frames this stack has become longer */
	bool after_signal;   /* the frame before was <signal handler called> */
	const char *program; /* whose stack it is; NULL: not known */
	size_t program_len;
	/* the calls at a named frame's address, and how many have come */
	const struct elfsym_frame *call;
	size_t n_calls, come;
};

/* What is known of a frame's text without its address. */
enum { NAMED, MAYBE_RAW, SIGNAL };

/*
 * Parses a frame that is only an address: `0xADDR in ?? ()`, `0xADDR in ??`,
 * `0xADDR in <signal handler called>`, or `0xADDR`. *tail becomes what follows
 * ` ()`, such as ` from FILE`.
 */
static bool
is_raw(const char *p, size_t len, uint64_t *addr, size_t *addr_len,
    const char **tail, size_t *tail_len)
{
	static const char unknown[] = " in ??",
			  signal[] = " in <signal handler called>";
	const char *end = p + len;

	*addr_len = sym_address(p, len, addr);
	if (*addr_len == 0)
		return false;
	p += *addr_len;
	if (bytes_starts(p, (size_t)(end - p), unknown))
		p += sizeof unknown - 1;
	else if (bytes_is(p, (size_t)(end - p), signal))
		p = end;
	else if (p != end)
		return false;
	if (bytes_starts(p, (size_t)(end - p), " ()"))
		p += 3;
	*tail = p;
	*tail_len = (size_t)(end - p);
	return p == end || *p == ' ';
}

/* The calls at the address of the frame. */
static size_t
calls_at(struct state *st, uint64_t addr, const struct elfsym_frame **f)
{
	return sym_frames(st->s, addr, st->in.number > 0 && !st->after_signal,
	    st->program, st->program_len, f);
}

/* Writes the calls of a raw frame; false if it has no name. */
static bool
name_frame(struct state *st)
{
	const struct stacks *in = &st->in;
	const struct elfsym_frame *f;
	const struct buf *text;
	const char *frame = in->head + in->head_len, *tail;
	size_t addr_len, tail_len, n;
	uint64_t addr;

	if (!is_raw(frame, in->frame_len, &addr, &addr_len, &tail, &tail_len))
		return false;
	n = calls_at(st, addr, &f);
	for (size_t i = 0; i < n; i++) {
		trace_put_number((uint64_t)in->number + st->shift + i);
		if (i == 0) {
			out_put(frame, addr_len);
			out_puts(" in ");
		}
		text = sym_text(st->s, &f[i], " ()");
		out_put(text->p, text->len);
		if (i + 1 == n && !st->s->lines)
			out_put(tail, tail_len);
		out_putc('\n');
	}
	if (n > 1)
		st->shift += (uint32_t)(n - 1);
	return n > 0;
}

static uint32_t
kind_of(struct stacks *in)
{
	const char *p = in->text;
	uint32_t kind = NAMED;

	if (in->entry)
		return in->entry->value;
	if (bytes_starts(p, in->text_len, "0x") ||
	    bytes_starts(p, in->text_len, "??"))
		kind = MAYBE_RAW;
	else if (bytes_starts(p, in->text_len, "<signal handler called>"))
		kind = SIGNAL;
	return stacks_learn(in, NULL, 0, kind)->value;
}

/*
 * The call that a named frame is: at its own address, or after the inlined ones
 * of the frame before. NULL: another name than the file has there.
 */
static const struct elfsym_frame *
call_of(struct state *st)
{
	const struct stacks *in = &st->in;
	const char *p = in->head + in->head_len, *end = p + in->frame_len;
	const struct elfsym_frame *f;
	uint64_t addr;
	const size_t len = sym_address(p, in->frame_len, &addr);

	if (len > 0) {
		st->n_calls = calls_at(st, addr, &st->call);
		st->come = 0;
		p += len;
		p += bytes_starts(p, (size_t)(end - p), " in ") ? 4 : 0;
	}
	while (st->come < st->n_calls) {
		f = &st->call[st->come++];
		if (sym_is_named(st->s, f, p, (size_t)(end - p)))
			return f;
		if (len == 0)
			break; /* of inlined calls some may have been left out
				*/
	}
	st->n_calls = 0;
	return NULL;
}

static void
put_frame(struct state *st)
{
	const struct stacks *in = &st->in;

	if (st->shift == 0) {
		out_put(in->line, in->line_len);
		return;
	}
	trace_put_number((uint64_t)in->number + st->shift);
	out_put(in->head + in->head_len, in->frame_len);
}

/* Whether the frame ends as `name ()` does. */
static bool
lacks_place(const struct stacks *in)
{
	return in->frame_len > 0 &&
	       in->head[in->head_len + in->frame_len - 1] == ')';
}

static void
take_frame(struct state *st)
{
	const uint32_t kind = kind_of(&st->in);
	const struct elfsym_frame *call = NULL;
	const bool named = kind != NAMED && name_frame(st);

	st->s->frames += named || lacks_place(&st->in);
	if (!named && st->s->lines && lacks_place(&st->in))
		call = call_of(st);
	else
		st->n_calls = 0;
	st->after_signal = kind == SIGNAL;
	if (named)
		return;
	put_frame(st);
	if (call != NULL)
		sym_put_place(st->s, call);
	out_putc('\n');
}

static void
begin_stack(struct state *st)
{
	const struct buf *line = &st->in.process;

	st->after_signal = false;
	st->n_calls = 0;
	st->shift = 0;
	st->program = NULL;
	if (line->len)
		trace_meta_get(
		    line->p, line->len, "name", &st->program, &st->program_len);
}

static void
take_other(struct state *st, enum stacks_event event)
{
	const struct trace_line *t = &st->in.t;
	const char *value;
	size_t len;

	if (event == STACKS_BEGIN) {
		begin_stack(st);
		return;
	}
	if (event == STACKS_END)
		return;
	if (t->kind == TRACE_CAPTURE)
		sym_slide(st->s, t->text, t->len);
	if (event == STACKS_META &&
	    bytes_starts(t->text, t->len, "[kst-capture-info ") &&
	    trace_meta_get(t->text, t->len, "build-id", &value, &len))
		sym_check_build_id(st->s, value, len);
	out_put(st->in.line, st->in.line_len);
	out_putc('\n');
}

uint64_t
sym_trace(void *sym, struct in *in)
{
	struct sym *s = sym;
	struct state st = {.s = s};
	enum stacks_event event;
	uint64_t stacks = 0;

	stacks_init(&st.in, false);
	st.in.is_part = s->is_part;
	stacks_open(&st.in, in);
	while ((event = stacks_next(&st.in)) != STACKS_EOF) {
		stacks += event == STACKS_BEGIN;
		if (event == STACKS_FRAME)
			take_frame(&st);
		else
			take_other(&st, event);
	}
	s->cut += fault_sum(&st.in.cut, 1);
	stacks_summary(&st.in);
	stacks_done(&st.in);
	return stacks;
}
