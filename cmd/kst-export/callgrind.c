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

/* A number before the name, since a name may look like one. */
static void
put_place(const char *file_key, const char *name_key, uint32_t id,
    const struct frame_place *p)
{
	out_printf("%s=(%" PRIu32 ") %.*s\n%s=(%" PRIu32 ") %.*s\n", file_key,
	    id + 1, p->file_len ? (int)p->file_len : 3,
	    p->file_len ? p->file : "???", name_key, id + 1, (int)p->name_len,
	    p->name);
}

static void
write_callgrind(struct export *e)
{
	struct table *costs = add_up(e);
	size_t n;

	out_printf("# callgrind format\nversion: 1\ncreator: kst-export "
		   "%s\npositions: line\nevents: %s\nsummary: %" PRIu64 "\n",
	    KST_VERSION, export_unit(e), export_whole(e, &e->stacks->total));
	for (uint32_t i = 0; i < table_stacks(costs); i++) {
		const uint32_t *ids = table_stack(costs, i, &n);
		struct frame_place callee = export_place(e, ids[0]);
		struct frame_place p = export_place(e, ids[n - 1]);

		out_putc('\n');
		put_place("fl", "fn", ids[n - 1], &p);
		if (n == 2) {
			put_place("cfi", "cfn", ids[0], &callee);
			out_printf("calls=1 %" PRIu64 "\n", callee.line);
		}
		out_printf("%" PRIu64 " %" PRIu64 "\n", p.line,
		    export_whole(e, table_count(costs, i, 0)));
	}
	table_free(costs);
}

const struct export_format format_callgrind = {.write = write_callgrind};
