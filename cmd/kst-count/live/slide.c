/* SPDX-License-Identifier: ISC */
#include "live/slide.h"

#include <string.h>

#include "base/xalloc.h"

/*
 * Kernels move by whole pages. A block of fewer bytes may be anywhere; so many
 * different blocks have to agree.
 */
enum { PAGE = 4096, LEAST = 16, AGREE = 8 };

static bool
is_at(const struct slide *s, uint64_t at, const uint8_t *p, size_t n)
{
	return at < s->size && n <= s->size - at &&
	       memcmp(s->code + at, p, n) == 0;
}

/* A byte for the first LEAST. */
static uint8_t
hash_of(const uint8_t *p)
{
	uint64_t a, b;

	memcpy(&a, p, sizeof a);
	memcpy(&b, p + sizeof a, sizeof b);
	a ^= b * UINT64_C(0x9e3779b97f4a7c15);
	return (uint8_t)(a * UINT64_C(0xff51afd7ed558ccd) >> 56);
}

static size_t
pages_of(const struct slide *s)
{
	return (size_t)(s->size / PAGE + 1);
}

/*
 * For each place in a page: the hashes of what the file's pages have there, so
 * that a search reads bytes that are side by side. They are written by rows of
 * LINE places, which stay in the processor's cache.
 */
static void
fill_index(struct slide *s)
{
	enum { LINE = 64 };
	const size_t pages = pages_of(s);

	s->index = xcalloc(pages, PAGE);
	for (size_t from = 0; from < PAGE; from += LINE)
		for (size_t k = 0; k < pages; k++)
			for (size_t at = from; at < from + LINE; at++)
				if (k * PAGE + at + LEAST <= s->size)
					s->index[at * pages + k] =
					    hash_of(s->code + k * PAGE + at);
}

/* Sets *at to where the file has these bytes, if there is only one place. */
static bool
search(struct slide *s, uint64_t pc, const uint8_t *p, size_t n, uint64_t *at)
{
	const size_t in_page = (size_t)((pc - s->low) % PAGE);
	const size_t pages = pages_of(s);
	const uint8_t hash = hash_of(p), *row, *end, *hit;
	size_t found = 0;

	if (s->index == NULL)
		fill_index(s);
	row = hit = s->index + in_page * pages;
	for (end = row + pages; found < 2 && hit < end &&
				(hit = memchr(hit, hash, (size_t)(end - hit)));
	     hit++) {
		const uint64_t i = (uint64_t)(hit - row) * PAGE + in_page;

		if (is_at(s, i, p, n)) {
			*at = i;
			found++;
		}
	}
	return found == 1;
}

/* One more block, `at` in the file, says that the kernel has moved so. */
static bool
vote(struct slide *s, uint64_t by, uint64_t at)
{
	unsigned i = 0;

	while (i < s->n && s->kept[i].by != by)
		i++;
	if (i == SLIDE_KEPT)
		i = s->next++ % SLIDE_KEPT;
	if (i == s->n)
		s->n++;
	if (s->kept[i].by != by)
		s->kept[i].blocks = 0;
	s->kept[i].by = by;
	s->kept[i].blocks |= UINT64_C(1)
			     << (at * UINT64_C(0x9e3779b97f4a7c15) >> 58);
	return __builtin_popcountll(s->kept[i].blocks) >= AGREE;
}

/* Whether it is known already of what place an address is. */
static bool
is_known(const struct slide *s, uint64_t pc)
{
	for (unsigned i = 0; i < s->places; i++)
		if (pc - s->low - s->by[i] < s->size)
			return true;
	return false;
}

bool
slide_look(struct slide *s, uint64_t pc, const uint8_t *p, size_t n)
{
	uint64_t at = pc - s->low;

	if (s->code == NULL || n == 0 || is_known(s, pc))
		return false;
	if (n < LEAST) {
		s->few += is_at(s, at, p, n) ? 1 : -(at < s->size);
		return false;
	}
	if (is_at(s, at, p, n)) {
		s->seen = true;
		if (s->places > 0 && !s->home)
			s->home = vote(s, 0, at);
		return false;
	}
	if (s->places == SLIDE_PLACES || !search(s, pc, p, n, &at) ||
	    !vote(s, pc - s->low - at, at))
		return false;
	s->by[s->places++] = pc - s->low - at;
	s->home = false;
	s->n = 0;
	return true;
}

bool
slide_seen(const struct slide *s)
{
	return s->seen || s->few > 0 || s->places > 0 || s->code == NULL;
}

uint64_t
slide_last(const struct slide *s)
{
	return s->places > 0 ? s->by[s->places - 1] : 0;
}

bool
slide_left(struct slide *s, uint64_t pc, const uint8_t *p, size_t n)
{
	if (s->places == 0 || s->home || is_known(s, pc))
		return false;
	if (n >= LEAST)
		s->other = !is_at(s, pc - s->low, p, n);
	return s->other;
}
