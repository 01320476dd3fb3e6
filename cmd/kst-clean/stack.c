/* SPDX-License-Identifier: ISC */
/* Collects the frames of a stack, and applies the rules' flags to them. */
#include "clean.h"

#include "base/bytes.h"
#include "base/xalloc.h"
#include "io/out.h"
#include "names.h"
#include "names/rules.h"

/* Bytes of names in a stack; those beyond are written without stack rules. */
enum { NAMES_MAX = 64 << 20 };

void
stack_clear(struct stack *s)
{
	s->n = s->names.len = 0;
}

bool
stack_add(struct stack *s, const struct memo_entry *n)
{
	if (s->n == STACK_MAX || s->names.len > NAMES_MAX)
		return false;
	*xpush(s->frames, s->n, s->cap) =
	    (struct stack_frame){s->names.len, n->len, n->value};
	buf_add(&s->names, memo_result(n), n->len);
	return true;
}

void
stack_put(struct stack *s, bool folded)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct stack_frame *f = &s->frames[i];

		if (!folded)
			trace_put_number(i);
		else if (i)
			out_putc(';');
		out_put(s->names.p + f->at, f->len);
		if (!folded)
			out_putc('\n');
	}
	stack_clear(s);
}

static void
reverse(struct stack *s)
{
	for (size_t i = 0, k = s->n; i + 1 < k; i++) {
		const struct stack_frame t = s->frames[--k];

		s->frames[k] = s->frames[i];
		s->frames[i] = t;
	}
}

/* How many frames the leaf side loses: up to the first that says so. */
static size_t
cut_of(const struct stack *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->frames[i].value & RULE_SKIP_PAST)
			return i + 1;
		if (s->frames[i].value & RULE_SKIP_TO)
			return i;
	}
	return 0;
}

/* Where the root side ends: at the first frame from the leaf that says so. */
static size_t
end_of(const struct stack *s, size_t i)
{
	for (; i < s->n; i++)
		if (s->frames[i].value & RULE_CUT_BELOW)
			return i + 1;
	return s->n;
}

static bool
is_repeated(const struct stack *s, size_t i, size_t k)
{
	const struct stack_frame *a = &s->frames[i], *b = &s->frames[k];
	const char *names = s->names.p;

	return (a->value & RULE_COLLAPSE) &&
	       bytes_same(names + a->at, a->len, names + b->at, b->len);
}

bool
stack_apply(struct stack *s, bool leaf_first, bool trim_unknown)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->frames[i].value & RULE_DROP)
			return false;
	if (!leaf_first)
		reverse(s);
	for (size_t i = cut_of(s), n = end_of(s, i); i < n; i++)
		if (!(s->frames[i].value & RULE_SKIP) &&
		    (kept == 0 || !is_repeated(s, i, kept - 1)))
			s->frames[kept++] = s->frames[i];
	s->n = kept;
	while (trim_unknown && s->n > 1 &&
	       (s->frames[s->n - 1].value & NAME_UNKNOWN))
		s->n--;
	if (!leaf_first)
		reverse(s);
	return s->n > 0;
}
