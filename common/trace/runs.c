/* SPDX-License-Identifier: ISC */
/* The frames of a stack after its first, all at once, if they came before. */
#include "trace/runs.h"
#include "trace/stacks.h"

#include <string.h>

#include "set/hash.h"

/*
 * Looking for a stack and keeping one cost a credit each, finding one earns
 * some. Without credit only one stack in ANYWAY is looked for.
 */
enum { RUN_BYTES = 8 << 20, CREDIT = 450, FOUND = 8, ANYWAY = 64 };

/*
 * Stacks are found by the hash of their first lines: of twice as many once
 * ALIKE stacks have the same.
 */
enum { LINES = 2, LINES_MAX = 64, ALIKE = 4 };

void
stacks_keep_runs(struct stacks *s, uint32_t leaf_bits)
{
	s->runs = memo_new(RUN_BYTES);
	s->leaf_bits = leaf_bits;
	s->run_credit = CREDIT;
	s->run_lines = LINES;
}

/* Whether the text is so many lines of frames, as numbers rise, without noise.
 */
static bool
is_plain(const char *p, size_t len, uint32_t last)
{
	const char *end = p + len;

	if (trace_has_noise(p, len))
		return false;
	for (; last > 0 && p < end; last--, p++)
		if (*p != '#' ||
		    (p = memchr(p, '\n', (size_t)(end - p))) == NULL)
			return false;
	return last == 0 && p == end;
}

void
stacks_learn_run(struct stacks *s, const void *result, size_t len)
{
	const struct memo_text t = {
	    s->run_text, s->run_len - 1, result, len, s->number};

	if (!is_plain(t.p, s->run_len, s->number))
		return;
	s->run_credit -= s->run_credit > 0;
	if (s->run_lines < LINES_MAX &&
	    memo_alike(s->runs, s->run_hash) >= ALIKE)
		s->run_lines *= 2;
	else
		memo_add(s->runs, s->run_hash, &t);
}

/* The hash of the first lines that may be frames at p, or 0. */
static uint64_t
hash_lines(const char *p, const char *end, unsigned lines)
{
	const char *at = p, *nl;

	for (unsigned i = 0; i < lines && at < end && *at == '#'; i++) {
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
	if (!is_leaf(s) ||
	    (s->run_credit == 0 && ++s->run_refused % ANYWAY != 0) ||
	    (s->run_hash = hash_lines(p, s->in->end, s->run_lines)) == 0)
		return;
	s->run_hash ^= leaf << 32;
	s->run =
	    memo_find(s->runs, s->run_hash, p, (size_t)(s->in->end - p) - 1);
	if (s->run && p[s->run->raw_len] == '\n') {
		s->run_credit += s->run_credit < CREDIT ? FOUND : 0;
		s->place = STACKS_AT_RUN;
		return;
	}
	s->run_credit -= s->run_credit > 0;
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
