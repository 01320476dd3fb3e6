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
	buf_done(&c->part);
}

static inline void
put_name(const struct memo_entry *n)
{
	out_put(memo_result(n), n->len);
	out_putc('\n');
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
		stack_put(&c->stack, false);
}

void
clean_give_up(struct clean *c, struct in *in, bool folded)
{
	fault_say(&c->faults[CLEAN_DEEP], in,
	    "a stack has more than %d frames or too much text: rules "
	    "for whole stacks were not applied to it",
	    STACK_MAX);
	stack_put(&c->stack, folded);
	c->as_it_comes = true;
}

size_t
clean_take_line(struct buf *b, const char *p, size_t len)
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
	/* that the rules have cut off */
	if (t->result_len < t->len && bytes_starts(t->p + t->result_len,
					  t->len - t->result_len, ".part."))
		t->value |= CLEAN_PART;
}

const struct memo_entry *
clean_frame_name(struct clean *c, struct in *in, const char *p, size_t len)
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
	if (c->by_stack && !c->as_it_comes && !stack_add(&c->stack, n))
		clean_give_up(c, in, false);
	if (c->as_it_comes)
		put_frame(c, n);
	else if (!c->by_stack)
		put_renumbered(c, n);
}

/*
 * Whether a frame is the function whose part the one before was; keeps the
 * frame's own name if it is a part.
 */
static inline bool
is_rest(struct clean *c, const struct memo_entry *n)
{
	const bool is =
	    c->part.len > 0 && !(n->value & CLEAN_PART) &&
	    bytes_same(c->part.p, c->part.len, memo_result(n), n->len);

	c->part.len = 0;
	if (n->value & CLEAN_PART)
		buf_add(&c->part, memo_result(n), n->len);
	/* What a run makes of its first frame would depend on the leaf. */
	if (c->frames == c->before_leaf + 1)
		c->no_run |= is || (n->value & CLEAN_PART);
	return is;
}

static inline void
take_frame(struct clean *c, struct in *in)
{
	const struct memo_entry *n = c->in.entry;

	if (n == NULL)
		n = learn(c, in);
	if (is_rest(c, n))
		return;
	if (c->lines && c->in.number == 0) {
		clean_take_line(&c->line, c->in.text, c->in.text_len);
		if (c->line.len)
			give_frame(c, in,
			    clean_frame_name(c, in, c->line.p, c->line.len));
	}
	give_frame(c, in, n);
	if (c->in.number == 0) {
		c->run_at = out.len;
		c->flushed = out.flushed;
	}
}

/* Whether the first of these lines is the function of the leaf's part. */
static bool
begins_with_rest(const struct clean *c, const char *p, const char *end)
{
	const size_t n = c->part.len;
	const char *line = n > 0 ? memchr(p, '\n', (size_t)(end - p)) : NULL;

	return line != NULL && (size_t)(line - p) > n && line[-n - 1] == ' ' &&
	       memcmp(line - n, c->part.p, n) == 0;
}

/* Lines of frames, with the numbers that come next. */
static void
put_lines(struct clean *c, const char *p, const char *end)
{
	while (p < end) {
		const char *next = memchr(p, '\n', (size_t)(end - p)) + 1;

		p += strspn(p, "#0123456789");
		p += strspn(p, " ");
		trace_put_number(c->written++);
		out_put(p, (size_t)(next - p));
		p = next;
	}
}

/* Frames that came before, as they are, but for the function of a part. */
static void
put_run(struct clean *c)
{
	const char *p = memo_result(c->in.run), *end = p + c->in.run->len;

	c->frames += c->in.run->value;
	if (begins_with_rest(c, p, end)) {
		c->frames--;
		p = (const char *)memchr(p, '\n', (size_t)(end - p)) + 1;
		if (c->as_it_comes)
			out_put(p, (size_t)(end - p));
		else
			put_lines(c, p, end);
	} else {
		c->run = c->in.run;
		out_put(p, c->run->len);
	}
	c->part.len = 0;
}

static void
take_event(struct clean *c, enum stacks_event event)
{
	const struct trace_line *t = &c->in.t;

	switch (event) {
	case STACKS_BEGIN:
		c->stacks++;
		stack_clear(&c->stack);
		c->was_dropped = false;
		c->as_it_comes = !c->renumber;
		c->written = 0;
		c->run = NULL;
		c->part.len = 0;
		c->no_run = false;
		c->before_leaf = c->frames;
		return;
	case STACKS_RUN:
		put_run(c);
		return;
	case STACKS_END:
		if (stacks_wants_run(&c->in) && out.flushed == c->flushed &&
		    !c->no_run && c->part.len == 0)
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
