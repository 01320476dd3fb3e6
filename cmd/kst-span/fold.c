/* SPDX-License-Identifier: ISC */
#include "sinks.h"

#include <stdlib.h>

#include "base/xalloc.h"
#include "profile/table.h"

uint32_t *
fold_names(const struct pair *p, struct table *table)
{
	uint32_t *ids = xcalloc(p->n_names + 1, sizeof *ids);
	struct buf plain = BUF_INIT, name = BUF_INIT;

	for (uint32_t i = 0; i < p->n_names; i++) {
		plain.len = name.len = 0;
		event_unescape(&plain, p->names[i].p, p->names[i].len);
		folded_add_name(&name, plain.p, plain.len);
		ids[i] = table_name(table, name.p, name.len);
	}
	buf_done(&plain);
	buf_done(&name);
	return ids;
}

void
fold_print(const struct pair *p, bool calls)
{
	const struct span_node *nodes = p->tree.nodes;
	struct table *table = table_new();
	uint32_t *ids = fold_names(p, table);
	uint32_t path[PAIR_DEPTH_MAX + 2]; /* an instant, and the track */
	const size_t end = sizeof path / sizeof *path;

	for (uint32_t i = 1; i < p->tree.n; i++) {
		uint64_t n = calls ? nodes[i].calls : nodes[i].self, *sum;
		size_t at = end;
		uint32_t stack;

		if (n == 0)
			continue;
		for (uint32_t k = i; k != TREE_ROOT; k = nodes[k].parent)
			path[--at] = ids[nodes[k].name];
		/* names that differ in event text may be equal here */
		stack = table_find(table, path + at, end - at);
		sum = &table_count(table, stack, 0)->whole;
		if (__builtin_add_overflow(*sum, n, sum))
			*sum = UINT64_MAX;
	}
	table_write(table, false);
	table_free(table);
	free(ids);
}
