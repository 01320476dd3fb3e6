/* SPDX-License-Identifier: ISC */
/* Cleans the frames of each line; the input keeps its shape. */
#include "clean.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/runs.h"
#include "base/bytes.h"
#include "io/fault.h"
#include "set/hash.h"
#include "io/in.h"
#include "base/msg.h"
#include "io/out.h"
#include "base/summary.h"
#include "names.h"
#include "names/name.h"
#include "names/rules.h"
#include "text/folded.h"
#include "base/xalloc.h"

/* Bytes of names in a stack; those beyond are written without stack rules. */
enum { NAMES_MAX = 64 << 20 };

void
clean_init(struct clean *c)
{
	stacks_init(&c->in, false);
	if (!c->by_stack && !c->lines)
		stacks_keep_runs(&c->in, c->renumber ? RULE_SKIP : 0);
	c->folded = memo_new(4 << 20);
	c->faults[CLEAN_BAD_LINE].what = "line that is not a folded stack";
	c->faults[CLEAN_DEEP].what = "stack that is too deep for rules";
	c->faults[CLEAN_LIMIT].what =
	    "name on which a pattern takes too many steps";
}

void
clean_done(struct clean *c)
{
	stacks_done(&c->in);
	memo_free(c->folded);
	free(c->stack.frames);
	buf_done(&c->stack.names);
	buf_done(&c->line);
}

static inline void
put_name(const struct memo_entry *n)
{
	out_put(memo_result(n), n->len);
	out_putc('\n');
}

/* Begins to collect a stack. */
static void
clear_stack(struct stack *s)
{
	s->n = s->names.len = 0;
}

/* Adds a frame; false if there are too many or their names are too long. */
static bool
collect(struct stack *s, const struct memo_entry *n)
{
	if (s->n == STACK_MAX || s->names.len > NAMES_MAX)
		return false;
	*xpush(s->frames, s->n, s->cap) =
	    (struct stack_frame){s->names.len, n->len, n->value};
	buf_add(&s->names, memo_result(n), n->len);
	return true;
}

/* Writes the frames that were collected: numbered from 0, or between `;`. */
static void
put_stack(struct clean *c, bool folded)
{
	for (size_t i = 0; i < c->stack.n; i++) {
		const struct stack_frame *f = &c->stack.frames[i];

		if (!folded)
			trace_put_number(i);
		else if (i)
			out_putc(';');
		out_put(c->stack.names.p + f->at, f->len);
		if (!folded)
			out_putc('\n');
	}
	clear_stack(&c->stack);
}

static void
end_stack(struct clean *c)
{
	if (c->stack.n > 0)
		c->was_dropped = !stack_apply(&c->stack, true, c->trim_unknown);
	else
		c->was_dropped = c->renumber && !c->by_stack &&
				 c->written == 0 && !(c->run && c->run->len);
	c->dropped += c->was_dropped;
	if (!c->was_dropped)
		put_stack(c, false);
}

/* Writes the collected frames, and all later ones of the stack, unchanged. */
static void
give_up_rules(struct clean *c, struct in *in, bool folded)
{
	fault_say(&c->faults[CLEAN_DEEP], in,
	    "a stack has more than %d frames or too much text: rules "
	    "for whole stacks were not applied to it",
	    STACK_MAX);
	put_stack(c, folded);
	c->as_it_comes = true;
}

/*
 * Takes ` at FILE:LINE` off the end of a frame's text, and makes b the file's
 * name and the line; empty: there is none.
 */
static size_t
take_line(struct buf *b, const char *p, size_t len)
{
	static const char tail[] = " [tail call]";
	const size_t n = name_line(p, len);
	const char *place = p + n, *slash = memrchr(place, '/', len - n);

	b->len = 0;
	if (n == len)
		return n;
	place = slash ? slash + 1 : place + strlen(" at ");
	len -= (size_t)(place - p);
	folded_add_name(
	    b, place, len - (bytes_ends(place, len, tail) ? strlen(tail) : 0));
	return n;
}

/* The clean name of t's text; reports a pattern that exceeded its limits. */
static void
clean_name(struct clean *c, struct in *in, bool gdb, struct memo_text *t)
{
	t->value = names_clean(
	    c->names, t->p, t->len, gdb, &t->result, &t->result_len);
	if (t->value & RULE_LIMIT)
		fault_say(&c->faults[CLEAN_LIMIT], in,
		    "a pattern needs too many steps on '%s'",
		    msg_text(t->p, t->len));
}

/* The clean name of a frame in folded text, or of a line. */
static const struct memo_entry *
folded_name(struct clean *c, struct in *in, const char *p, size_t len)
{
	uint64_t hash = hash_bytes(p, len);
	const struct memo_entry *n = memo_find(c->folded, hash, p, len);
	struct memo_text t = {.p = p, .len = len};

	if (n)
		return n;
	clean_name(c, in, false, &t);
	return memo_add(c->folded, hash, &t);
}

static struct memo_entry *
learn(struct clean *c, struct in *in)
{
	struct stacks *s = &c->in;
	struct memo_text t = {.p = s->text, .len = s->text_len};

	clean_name(c, in, true, &t);
	if (c->no_tails && bytes_ends(t.p, t.len, " [tail call]"))
		t.value |= RULE_SKIP;
	return stacks_learn(s, t.result, t.result_len, t.value);
}

/* Writes a frame with the number that it has among those written. */
static void
put_renumbered(struct clean *c, const struct memo_entry *n)
{
	if (c->run) {
		const char *p = memo_result(c->run), *end = p + c->run->len;

		for (; p < end; c->written++)
			p = (const char *)memchr(p, '\n', (size_t)(end - p)) +
			    1;
		c->run = NULL;
	}
	if (n->value & RULE_SKIP)
		return;
	trace_put_number(c->written++);
	put_name(n);
}

static inline void
put_frame(const struct clean *c, const struct memo_entry *n)
{
	if (c->in.head_len == 4) /* nearly always; then it is one store */
		out_put(c->in.head, 4);
	else
		out_put(c->in.head, c->in.head_len);
	put_name(n);
}

static inline void
give_frame(struct clean *c, struct in *in, const struct memo_entry *n)
{
	c->frames++;
	if (c->by_stack && !c->as_it_comes && !collect(&c->stack, n))
		give_up_rules(c, in, false);
	if (c->as_it_comes)
		put_frame(c, n);
	else if (!c->by_stack)
		put_renumbered(c, n);
}

static inline void
take_frame(struct clean *c, struct in *in)
{
	const struct memo_entry *n = c->in.entry;

	if (n == NULL)
		n = learn(c, in);
	if (c->lines && c->in.number == 0) {
		take_line(&c->line, c->in.text, c->in.text_len);
		if (c->line.len)
			give_frame(
			    c, in, folded_name(c, in, c->line.p, c->line.len));
	}
	give_frame(c, in, n);
	if (c->in.number == 0) {
		c->run_at = out.len;
		c->flushed = out.flushed;
	}
}

static void
take_event(struct clean *c, enum stacks_event event)
{
	const struct trace_line *t = &c->in.t;

	switch (event) {
	case STACKS_BEGIN:
		c->stacks++;
		clear_stack(&c->stack);
		c->was_dropped = false;
		c->as_it_comes = !c->renumber;
		c->written = 0;
		c->run = NULL;
		return;
	case STACKS_RUN:
		c->run = c->in.run;
		c->frames += c->run->value;
		out_put(memo_result(c->run), c->run->len);
		return;
	case STACKS_END:
		if (stacks_wants_run(&c->in) && out.flushed == c->flushed)
			stacks_learn_run(
			    &c->in, out.p + c->run_at, out.len - c->run_at);
		c->truncated += c->in.truncated && t->kind != TRACE_STOPPED;
		end_stack(c);
		return;
	case STACKS_OTHER:
		/* an argument list goes on, or a source line is shown */
		c->noise += t->len > 0;
		return;
	case STACKS_STOPPED:
		c->truncated++;
		if (c->was_dropped)
			return;
		break;
	default:
		break;
	}
	out_put(t->text, t->len);
	out_putc('\n');
}

uint64_t
clean_trace(void *clean, struct in *in)
{
	struct clean *c = clean;
	uint64_t before = c->stacks;
	enum stacks_event event;

	stacks_open(&c->in, in);
	while ((event = stacks_next(&c->in)) != STACKS_EOF)
		if (event == STACKS_FRAME)
			take_frame(c, in);
		else
			take_event(c, event);
	return c->stacks - before;
}

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

static void
give_folded(struct clean *c, struct in *in, const char *p, size_t len)
{
	const struct memo_entry *n = folded_name(c, in, p, len);

	if (!c->as_it_comes && !collect(&c->stack, n))
		give_up_rules(c, in, true);
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
	clear_stack(&c->stack);
	c->as_it_comes = !c->renumber;
	c->written = 0;
	for (; p <= end; p = stop + 1) {
		size_t len;

		stop = folded_frame_end(p, end);
		len = (size_t)(stop - p);
		give_folded(
		    c, in, p, c->lines ? take_line(&c->line, p, len) : len);
	}
	if (c->line.len)
		give_folded(c, in, c->line.p, c->line.len);
	if (!c->as_it_comes &&
	    !stack_apply(&c->stack, false, c->trim_unknown)) {
		c->dropped++;
		return;
	}
	put_stack(c, true);
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

void
clean_summarize(const struct clean *c, const struct in *in, bool say)
{
	if (say)
		msg("%" PRIu64 " stacks, %" PRIu64 " frames, %" PRIu64
		    " truncated, %" PRIu64 " dropped by rules, %" PRIu64
		    " other lines",
		    c->stacks, c->frames, c->truncated, c->dropped, c->noise);
	in_summarize(in);
	summary_count("stacks", c->stacks);
	summary_count("frames", c->frames);
	summary_count("truncated", c->truncated);
	summary_count("dropped", c->dropped);
	summary_count("other", c->noise);
	stacks_summary(&c->in);
}
