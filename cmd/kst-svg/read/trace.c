/* SPDX-License-Identifier: ISC */
#include "read/read.h"

#include "profile/profile.h"
#include "profile/table.h"
#include "profile/table_write.h"
#include "trace/shape.h"

struct giving {
	struct table *table;
	trace_taker *take;
	void *arg;
};

static void
give(void *giving, uint32_t stack, const char *text, size_t len)
{
	const struct giving *g = giving;

	g->take(g->arg, text, len, table_count(g->table, stack, 0));
}

bool
trace_give(struct in *in, struct trailer *sum, trace_taker *take, void *arg)
{
	struct fold_options o = {.n_by = 0};
	struct giving g = {table_new(), take, arg};
	struct fold f;
	bool good;

	fold_init(&f, &o, g.table);
	good = shape_read(in, SHAPE_AUTO, fold_trace, fold_folded, &f);
	fold_finish(&f);
	good &= !fold_say_wrong(&f);
	*sum = f.origin.sum;
	table_texts(f.table, false, give, &g);
	table_free(f.table);
	fold_done(&f);
	return good;
}
