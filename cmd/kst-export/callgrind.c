/* SPDX-License-Identifier: ISC */
/* Callgrind's format: each function's own cost, and that of its calls. */
#include "export.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/xalloc.h"
#include "io/out.h"

/*
 * Viewers take a function's inclusive cost from what its callers say, so one
 * more, of this name, calls where each stack begins.
 */
static const char all[] = "[all]";

struct graph {
	struct table *costs;  /* a location, or two: callee and caller */
	struct intern *names; /* of functions: file, 0, name */
	uint32_t *functions;  /* by location; after the last one, of [all] */
};

static uint32_t
function_of(struct graph *g, const char *file, size_t file_len,
    const char *name, size_t name_len, struct buf *key)
{
	key->len = 0;
	buf_add(key, file, file_len);
	buf_addc(key, 0);
	buf_add(key, name, name_len);
	return intern_id(g->names, key->p, key->len);
}

static void
name_functions(struct graph *g, struct export *e)
{
	uint32_t n = table_names(e->stacks);

	g->functions = xcalloc(n + 1, sizeof *g->functions);
	for (uint32_t i = 0; i < n; i++) {
		struct frame_place p = export_place(e, i);

		g->functions[i] = function_of(
		    g, p.file, p.file_len, p.name, p.name_len, &e->scratch);
	}
	g->functions[n] =
	    function_of(g, "", 0, all, sizeof all - 1, &e->scratch);
}

/*
 * A location alone has its own cost; two have that of calls from the second to
 * the first. Calls of a function that is in a stack already cost nothing.
 */
static void
add_up(struct graph *g, const struct export *e)
{
	uint32_t *seen; /* by function: the stack that it has last, + 1 */
	size_t n;

	seen = xcalloc(intern_count(g->names) + 1, sizeof *seen);
	for (uint32_t s = 0; s < table_stacks(e->stacks); s++) {
		const uint32_t *ids = table_stack(e->stacks, s, &n);
		const struct count *count = table_count(e->stacks, s, 0);
		uint32_t call[2] = {0, table_names(e->stacks)};

		for (size_t i = n; i-- > LABELS; call[1] = call[0]) {
			uint32_t f = g->functions[ids[i]], cost;

			call[0] = ids[i];
			cost = table_find(g->costs, call, 2);
			if (seen[f] != s + 1)
				count_add(
				    table_count(g->costs, cost, 0), count);
			seen[f] = s + 1;
		}
		if (n > LABELS)
			count_add(table_count(g->costs,
				      table_find(g->costs, ids + LABELS, 1), 0),
			    count);
	}
	free(seen);
}

/*
 * Names come once, as speedscope wants it, and then their numbers; they have a
 * number since they may look like one.
 */
static void
put_names(const struct graph *g)
{
	for (uint32_t i = 0; i < intern_count(g->names); i++) {
		size_t len;
		const char *file = intern_str(g->names, i, &len);
		size_t file_len = strlen(file);

		out_printf("fl=(%" PRIu32 ") %s\nfn=(%" PRIu32 ") %.*s\n",
		    i + 1, file_len ? file : "???", i + 1,
		    (int)(len - file_len - 1), file + file_len + 1);
	}
}

static uint64_t
line_of(const struct export *e, uint32_t location)
{
	return location < table_names(e->stacks)
		   ? export_place(e, location).line
		   : 0;
}

static void
write_callgrind(struct export *e)
{
	struct graph g = {table_new(), intern_new(), NULL};
	size_t n;

	name_functions(&g, e);
	add_up(&g, e);
	out_printf("# callgrind format\nversion: 1\ncreator: kst-export "
		   "%s\npositions: line\nevents: %s\nsummary: %" PRIu64 "\n",
	    KST_VERSION, export_unit(e), export_whole(e, &e->stacks->total));
	put_names(&g);
	for (uint32_t i = 0; i < table_stacks(g.costs); i++) {
		const uint32_t *ids = table_stack(g.costs, i, &n);
		uint32_t id = g.functions[ids[n - 1]] + 1;
		uint32_t callee = g.functions[ids[0]] + 1;

		out_printf("\nfl=(%" PRIu32 ")\nfn=(%" PRIu32 ")\n", id, id);
		if (n == 2)
			out_printf("cfi=(%" PRIu32 ")\ncfn=(%" PRIu32
				   ")\ncalls=1 %" PRIu64 "\n",
			    callee, callee, line_of(e, ids[0]));
		out_printf("%" PRIu64 " %" PRIu64 "\n", line_of(e, ids[n - 1]),
		    export_whole(e, table_count(g.costs, i, 0)));
	}
	table_free(g.costs);
	intern_free(g.names);
	free(g.functions);
}

const struct export_format format_callgrind = {.write = write_callgrind};
