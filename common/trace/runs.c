/* SPDX-License-Identifier: ISC */
/* The frames of a stack after its first, all at once, if they came before. */
#include "trace/stacks.h"

#include "set/hash.h"

/* Stacks are found by the hash of so many lines. */
enum { RUN_BYTES = 64 << 20, RUN_LINES = 2 };

void
stacks_keep_runs(struct stacks *s, uint32_t leaf_bits)
{
	s->runs = memo_new(RUN_BYTES);
	s->leaf_bits = leaf_bits;
}

/* The last number of lines that are frames without noise from #1 on, or 0. */
static uint32_t
count_frames(const char *p, size_t len)
{
	const char *end = p + len;
	struct trace_line t;
	uint32_t n = 0;

	if (trace_has_noise(p, len))
		return 0;
	for (const char *nl; p < end; p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (nl == NULL ||
		    !trace_is_plain_frame(p, (size_t)(nl - p), &t) ||
		    t.number != ++n)
			return 0;
	}
	return n;
}

void
stacks_learn_run(struct stacks *s, const void *result, size_t len)
{
	struct memo_text t = {s->run_text, s->run_len - 1, result, len, 0};

	if (memo_again(s->runs, s->run_hash + s->run_len) &&
	    (t.value = count_frames(t.p, s->run_len)) > 0)
		memo_add(s->runs, s->run_hash, &t);
}

/* The hash of the first lines that may be frames at p, or 0. */
static uint64_t
hash_lines(const char *p, const char *end)
{
	const char *at = p, *nl;

	for (int i = 0; i < RUN_LINES && at < end && *at == '#'; i++) {
		nl = memchr(at, '\n', (size_t)(end - at));
		if (nl == NULL)
			return 0;
		at = nl + 1;
	}
	return at > p ? hash_bytes(p, (size_t)(at - p)) : 0;
}

/* Whether the stack's first line is one that a run may follow. */
static bool
is_leaf(const struct stacks *s)
{
	return s->runs && s->t.raw && s->number == 0 &&
	       (s->entry || s->leaf_bits == 0);
}

void
runs_find(struct stacks *s)
{
	const char *p = s->in->p;
	uint64_t leaf = s->entry ? s->entry->value & s->leaf_bits : 0;

	s->run = NULL;
	s->run_text = NULL;
	s->run_len = 0;
	if (!is_leaf(s) || (s->run_hash = hash_lines(p, s->in->end)) == 0)
		return;
	s->run_hash ^= leaf << 32;
	s->run =
	    memo_find(s->runs, s->run_hash, p, (size_t)(s->in->end - p) - 1);
	if (s->run && p[s->run->raw_len] == '\n') {
		s->place = STACKS_AT_RUN;
		return;
	}
	s->run = NULL;
	s->run_text = p;
	s->run_bytes = s->in->bytes;
}

enum stacks_event
runs_take(struct stacks *s)
{
	s->in->p += s->run->raw_len + 1;
	s->number = s->run->value;
	s->in->line += s->number;
	s->place = STACKS_INSIDE;
	return STACKS_RUN;
}

/*
 * The text of the stack's frames ends where the line begins, unless it was
 * moved by reading, or frames came after other lines. A line that gdb's pager
 * has cut is a copy elsewhere.
 */
void
runs_end(struct stacks *s)
{
	const uintptr_t line = (uintptr_t)s->line;

	if (s->run_text == NULL || s->run_len)
		return;
	if (s->in->bytes == s->run_bytes && !s->in->eof &&
	    line >= (uintptr_t)s->run_text && line <= (uintptr_t)s->in->end)
		s->run_len = (size_t)(s->line - s->run_text);
	else
		s->run_text = NULL;
}
