/* SPDX-License-Identifier: ISC */
/* How much of folded text is idle CPUs: the rule is that of kst-svg's picture.
 */
#include "top.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "base/xalloc.h"
#include "names/rx.h"
#include "profile/table.h"

enum { UNKNOWN, OTHER, IDLE };

/* The frame of a state: the second one where all stacks begin with a CPU. */
static size_t
state_frame(const struct table *t)
{
	for (uint32_t i = 0; i < table_stacks(t); i++) {
		size_t n, len;
		const uint32_t *frame = table_stack(t, i, &n);
		const char *name = n ? table_name_text(t, *frame, &len) : "";

		if (n == 0 || !bytes_starts(name, len, "CPU#"))
			return 0;
	}
	return 1;
}

static bool
is_idle(struct idle *idle, const struct table *t, uint32_t name)
{
	uint8_t *known = xitem_zeroed(idle->known, name, idle->known_cap);
	size_t len;
	const char *text = table_name_text(t, name, &len);

	if (*known == UNKNOWN)
		*known = rx_match(idle->rx, text, len) == 1 ? IDLE : OTHER;
	return *known == IDLE;
}

double
idle_share(struct idle *idle, const struct table *t)
{
	size_t state = state_frame(t);
	double halted = 0, ends = 0, all = count_real(&t->total);

	for (uint32_t i = 0; i < table_stacks(t); i++) {
		size_t n, len = 0;
		const uint32_t *frame = table_stack(t, i, &n);
		double weight = count_real(table_count(t, i, 0));
		const char *name =
		    n > state ? table_name_text(t, frame[state], &len) : "";

		halted += bytes_is(name, len, "halted") ? weight : 0;
		ends += n && is_idle(idle, t, frame[n - 1]) ? weight : 0;
	}
	return all > 0 ? (halted > 0 ? halted : ends) / all : 0;
}

void
idle_done(struct idle *idle)
{
	rx_free(idle->rx);
	free(idle->known);
}
