/* SPDX-License-Identifier: ISC */
/* Callgrind's format: each function's own cost, and that of its calls. */
#include "export.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/xalloc.h"
#include "io/out.h"

/*
 * Adds up all stacks: a location alone has its own cost, two that of calls from
 * the second to the first, once a stack however often it has them.
 */
static struct table *
add_up(const struct export *e)
{
	struct table *costs = table_new();
	uint32_t *last = NULL; /* by cost: the stack that it has last, + 1 */
	size_t n, cap = 0;

	for (uint32_t s = 0; s < table_stacks(e->stacks); s++) {
		const uint32_t *ids = table_stack(e->stacks, s, &n);

		for (size_t i = LABELS; i < n; i++) {
			uint32_t cost = i == LABELS
					    ? table_find(costs, ids + i, 1)
					    : table_find(costs, ids + i - 1, 2);

			if (*xitem_zeroed(last, cost, cap) == s + 1)
				continue;
			last[cost] = s + 1;
			count_add(table_count(costs, cost, 0),
			    table_count(e->stacks, s, 0)); /* fits */
		}
	}
	free(last);
	return costs;
}

/*
 * Names come once, as speedscope wants it, and then their numbers; they have a
 * number since they may look like one.
 */
static void
put_names(const struct export *e)
{
	for (uint32_t i = 0; i < table_names(e->stacks); i++) {
		struct frame_place p = export_place(e, i);

		out_printf("fl=(%" PRIu32 ") %.*s\nfn=(%" PRIu32 ") %.*s\n",
		    i + 1, p.file_len ? (int)p.file_len : 3,
		    p.file_len ? p.file : "???", i + 1, (int)p.name_len,
		    p.name);
	}
}

static void
write_callgrind(struct export *e)
{
	struct table *costs = add_up(e);
	size_t n;

	out_printf("# callgrind format\nversion: 1\ncreator: kst-export "
		   "%s\npositions: line\nevents: %s\nsummary: %" PRIu64 "\n",
	    KST_VERSION, export_unit(e), export_whole(e, &e->stacks->total));
	put_names(e);
	for (uint32_t i = 0; i < table_stacks(costs); i++) {
		const uint32_t *ids = table_stack(costs, i, &n);
		uint32_t id = ids[n - 1] + 1, callee = ids[0] + 1;

		out_printf("\nfl=(%" PRIu32 ")\nfn=(%" PRIu32 ")\n", id, id);
		if (n == 2)
			out_printf("cfi=(%" PRIu32 ")\ncfn=(%" PRIu32
				   ")\ncalls=1 %" PRIu64 "\n",
			    callee, callee, export_place(e, ids[0]).line);
		out_printf("%" PRIu64 " %" PRIu64 "\n",
		    export_place(e, ids[n - 1]).line,
		    export_whole(e, table_count(costs, i, 0)));
	}
	table_free(costs);
}

const struct export_format format_callgrind = {.write = write_callgrind};
