/* SPDX-License-Identifier: ISC */
/*
 * Lists change while they are followed if the guest runs. One that comes to a
 * thread for the second time has gone over to another list, or has no end.
 */
#include "threads/sources.h"

#include "base/num.h"
#include "elf/elfsym.h"

bool
sources_number(struct sources *s, uint64_t at, size_t n, uint64_t *to)
{
	uint8_t p[8];

	if (s->g->read(s->g->arg, at, p, n) != 0)
		return false;
	*to = uint_load(p, n, false);
	return true;
}

static bool
read_pointer(struct sources *s, uint64_t at, uint64_t *to)
{
	return sources_number(s, at, s->word, to);
}

bool
sources_address(struct sources *s, const struct elfplace *p, uint64_t *to)
{
	*to = p->at + (p->moves ? elfsym_bias(s->kernel) : 0);
	return !p->through || read_pointer(s, *to, to);
}

/* Whether the thread is among those from `from` up to `to`. */
static bool
is_among(const struct sources *s, size_t from, size_t to, uint64_t thread)
{
	for (size_t i = from; i < to; i++)
		if (s->found[i].at == thread)
			return true;
	return false;
}

/* One of the source whose threads begin at `first`; false: too many. */
static bool
add(struct sources *s, size_t first, struct sourced thread)
{
	if (s->n == LISTED_MAX)
		return false;
	thread.again = is_among(s, 0, first, thread.at);
	s->found[s->n++] = thread;
	return true;
}

static bool
take_array(struct sources *s, const struct source *from)
{
	const size_t first = s->n;
	uint64_t at, count = from->count.at;

	if (!sources_address(s, &from->at, &at) ||
	    ((from->count.moves || from->count.through) &&
		(!sources_address(s, &from->count, &count) ||
		    (!from->count.through &&
			!sources_number(s, count, 4, &count)))))
		return false;
	for (uint64_t i = 0; i < count; i++) {
		struct sourced thread = {at + i * from->size, .is = from->is};

		if (i == OS_COUNT ||
		    (from->shape == OS_POINTERS &&
			!read_pointer(s, at + i * s->word, &thread.at)))
			return false;
		if (thread.at != 0 && !add(s, first, thread))
			return false;
	}
	return true;
}

/* It ends at 0, or where it began. */
static bool
take_list(struct sources *s, const struct source *from, uint64_t head)
{
	const uint64_t end = head - (from->next - from->node);
	const size_t first = s->n;
	uint64_t p;

	if (!read_pointer(s, head, &p))
		return false;
	while (p != 0 && p != end) {
		struct sourced thread = {
		    p - from->node, .next_at = from->next, .is = from->is};

		if (is_among(s, first, s->n, thread.at) ||
		    !read_pointer(s, thread.at + from->next, &p))
			return false;
		thread.next = p;
		if (!add(s, first, thread))
			return false;
	}
	return true;
}

/* A list, or an array of lists. */
static bool
take_lists(struct sources *s, const struct source *from)
{
	const uint64_t n = from->at.times > 0 ? from->at.times : 1;
	uint64_t head;

	if (n > OS_COUNT || !sources_address(s, &from->at, &head))
		return false;
	for (uint64_t i = 0; i < n; i++)
		if (!take_list(s, from, head + i * from->at.step))
			return false;
	return true;
}

bool
sources_take(struct sources *s)
{
	s->n = 0;
	for (size_t i = 0; i < s->p->n_source; i++) {
		const struct source *from = &s->p->source[i];

		if (from->shape == OS_LIST ? !take_lists(s, from)
					   : !take_array(s, from))
			return false;
	}
	return true;
}
