/* SPDX-License-Identifier: ISC */
#include "live/slide.h"

#include <string.h>

/*
 * Kernels move by whole pages. A block of fewer bytes may be anywhere; so many
 * blocks have to agree; so many are looked for.
 */
enum { PAGE = 4096, LEAST = 16, AGREE = 8, SEARCHES = 1 << 16 };

static bool
is_at(const struct slide *s, uint64_t at, const uint8_t *p, size_t n)
{
	return at < s->size && n <= s->size - at &&
	       memcmp(s->code + at, p, n) == 0;
}

/* Sets *at to where the file has these bytes, if there is only one place. */
static bool
search(const struct slide *s, uint64_t pc, const uint8_t *p, size_t n,
    uint64_t *at)
{
	size_t found = 0;

	for (uint64_t i = (pc - s->low) % PAGE; i < s->size && found < 2;
	     i += PAGE)
		if (is_at(s, i, p, n)) {
			*at = i;
			found++;
		}
	return found == 1;
}

/* One more block says that the kernel has moved so. */
static bool
vote(struct slide *s, uint64_t by)
{
	unsigned i = 0;

	while (i < s->n && s->kept[i].by != by)
		i++;
	if (i == SLIDE_KEPT)
		i = s->searched % SLIDE_KEPT;
	if (i == s->n)
		s->n++;
	if (s->kept[i].by != by)
		s->kept[i].votes = 0;
	s->kept[i].by = by;
	return ++s->kept[i].votes >= AGREE;
}

bool
slide_look(struct slide *s, uint64_t pc, const uint8_t *p, size_t n)
{
	uint64_t at = pc - s->low;
	bool here;

	if (s->code == NULL || s->found || n == 0)
		return false;
	here = is_at(s, at, p, n);
	s->seen |= here;
	/* firmware and what unpacks the kernel are in the other half */
	if (n < LEAST || (pc ^ s->low) >> 63)
		return false;
	if (!here && (s->searched >= SEARCHES || !search(s, pc, p, n, &at)))
		return s->searched++, false;
	if (!vote(s, pc - s->low - at))
		return false;
	s->by = pc - s->low - at;
	return s->found = true;
}
