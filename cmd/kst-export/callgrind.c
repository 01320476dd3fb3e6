/* SPDX-License-Identifier: ISC */
/* Callgrind's format: each function's own cost, and that of its calls. */
#include "export.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/msg.h"
#include "base/xalloc.h"
#include "io/out.h"

/*
 * Viewers take a function's inclusive cost from what its callers say, so one
 * more, of this name, calls where each stack begins.
 */
static const char all[] = "[all]";

/* Of a location. */
struct spot {
	uint64_t address, line;
	bool is_trap;
};

/* Calls of a function from a location. */
struct edge {
	uint64_t low; /* the lowest address of the function in them */
	uint64_t line, calls;
};

struct graph {
	/* a location has its own cost; a callee and a caller, of calls */
	struct table *costs;
	struct intern *names; /* of functions: file, 0, name */
	uint32_t *functions;  /* by location; after the last one, of [all] */
	struct spot *spots;   /* the same */
	uint32_t *some;	      /* by function: a location in it */
	struct edge *edges;   /* by cost */
	size_t edges_cap;
	uint64_t *addrs; /* of instructions, sorted */
	size_t n_addrs, addrs_cap;
	bool exact; /* all instructions are there */
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
	static const char trap[] = "<signal handler called>";
	uint32_t n = table_names(e->stacks);

	g->exact = strcmp(export_unit(e), "instructions") == 0;
	g->functions = xcalloc(n + 1, sizeof *g->functions);
	g->spots = xcalloc(n + 1, sizeof *g->spots);
	g->some = xcalloc(n + 1, sizeof *g->some);
	for (uint32_t i = 0; i < n; i++) {
		struct frame_place p = export_place(e, i);

		g->functions[i] = function_of(
		    g, p.file, p.file_len, p.name, p.name_len, &e->scratch);
		g->some[g->functions[i]] = i;
		g->spots[i] = (struct spot){
		    p.at.address, p.line, bytes_is(p.name, p.name_len, trap)};
	}
	g->functions[n] =
	    function_of(g, "", 0, all, sizeof all - 1, &e->scratch);
}

/* The cost of calls of a location's function from another location. */
static uint32_t
find_edge(const struct graph *g, uint32_t callee, uint32_t caller)
{
	const uint32_t call[2] = {g->some[g->functions[callee]], caller};

	return table_find(g->costs, call, 2);
}

/*
 * How often a function was called is how often its first instruction was
 * executed, the lowest one below the call. What has no address, such as
 * `<signal handler called>`, was called as often as what it calls.
 */
static void
add_calls(struct graph *g, const struct export *e, const uint32_t *ids,
    size_t n, uint64_t count)
{
	const struct spot leaf = g->spots[ids[0]];

	if (leaf.address == 0)
		return;
	*xpush(g->addrs, g->n_addrs, g->addrs_cap) = leaf.address;
	for (size_t i = 0; i < n; i++) {
		uint32_t cost = find_edge(
		    g, ids[i], i + 1 < n ? ids[i + 1] : table_names(e->stacks));
		struct edge *x = xitem_zeroed(g->edges, cost, g->edges_cap);

		if (x->calls == 0 || leaf.address < x->low)
			*x = (struct edge){leaf.address, leaf.line, 0};
		x->calls += leaf.address == x->low ? count : 0;
		if (i + 1 == n || g->spots[ids[i + 1]].address)
			return;
	}
}

static int
by_address(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

/*
 * A location alone has its own cost; two have that of calls of a function, by
 * one of its locations, from the second one. Calls of a function that is in a
 * stack already cost nothing.
 */
static void
add_up(struct graph *g, struct export *e)
{
	uint32_t *seen; /* by function: the stack that it has last, + 1 */
	size_t n;

	seen = xcalloc(intern_count(g->names) + 1, sizeof *seen);
	for (uint32_t s = 0; s < table_stacks(e->stacks); s++) {
		const uint32_t *ids = table_stack(e->stacks, s, &n);
		const struct count *count = table_count(e->stacks, s, 0);
		uint32_t caller = table_names(e->stacks);

		for (size_t i = n; i-- > LABELS; caller = ids[i]) {
			uint32_t f = g->functions[ids[i]];
			uint32_t cost = find_edge(g, ids[i], caller);

			if (seen[f] != s + 1)
				count_add(
				    table_count(g->costs, cost, 0), count);
			seen[f] = s + 1;
		}
		if (n == LABELS)
			continue;
		count_add(table_count(g->costs,
			      table_find(g->costs, ids + LABELS, 1), 0),
		    count);
		if (g->exact)
			add_calls(g, e, ids + LABELS, n - LABELS, count->whole);
	}
	free(seen);
	if (g->n_addrs)
		qsort(g->addrs, g->n_addrs, sizeof *g->addrs, by_address);
}

/*
 * The instruction of a call: a caller has the address after it, but for one
 * that was interrupted.
 */
static uint64_t
call_at(const struct graph *g, uint64_t after)
{
	size_t low = 0, high = g->n_addrs, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (g->addrs[mid] < after)
			low = mid + 1;
		else
			high = mid;
	}
	return low > 0 ? g->addrs[low - 1] : after;
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

/* A cost, and where it is: `0xADDR LINE COST`, or without the address. */
static void
put_cost(const struct export *e, uint64_t address, uint64_t line, uint64_t cost)
{
	if (e->o->dump_instr)
		out_printf("0x%" PRIx64 " %" PRIu64 " %" PRIu64 "\n", address,
		    line, cost);
	else
		out_printf("%" PRIu64 " %" PRIu64 "\n", line, cost);
}

/* A cost of calls. */
static void
put_call(const struct graph *g, const struct export *e, uint32_t i,
    const uint32_t *ids, uint64_t cost)
{
	const struct spot *callee = &g->spots[ids[0]];
	const struct edge *x = i < g->edges_cap ? &g->edges[i] : NULL;
	const bool known = x && x->calls;
	const uint32_t id = g->functions[ids[0]] + 1;
	struct spot from = g->spots[ids[1]];
	char at[32] = "";

	if (g->n_addrs && !callee->is_trap)
		from.address = call_at(g, from.address);
	if (e->o->dump_instr)
		snprintf(at, sizeof at, "0x%" PRIx64 " ",
		    known ? x->low : callee->address);
	out_printf("cfi=(%" PRIu32 ")\ncfn=(%" PRIu32 ")\ncalls=%" PRIu64
		   " %s%" PRIu64 "\n",
	    id, id, known ? x->calls : 1, at, known ? x->line : callee->line);
	put_cost(e, from.address, from.line, cost);
}

static void
write_callgrind(struct export *e)
{
	struct graph g = {.costs = table_new(), .names = intern_new()};
	size_t n;

	name_functions(&g, e);
	add_up(&g, e);
	out_printf("# callgrind format\nversion: 1\ncreator: kst-export "
		   "%s\npositions: %sline\nevents: %s\nsummary: %" PRIu64 "\n",
	    KST_VERSION, e->o->dump_instr ? "instr " : "", export_unit(e),
	    export_whole(e, &e->stacks->total));
	if (e->o->elf)
		out_printf("ob=%s\n", msg_str(e->o->elf));
	put_names(&g);
	for (uint32_t i = 0; i < table_stacks(g.costs); i++) {
		const uint32_t *ids = table_stack(g.costs, i, &n);
		const uint64_t cost =
		    export_whole(e, table_count(g.costs, i, 0));
		uint32_t id = g.functions[ids[n - 1]] + 1;

		out_printf("\nfl=(%" PRIu32 ")\nfn=(%" PRIu32 ")\n", id, id);
		if (n == 2)
			put_call(&g, e, i, ids, cost);
		else
			put_cost(e, g.spots[ids[0]].address,
			    g.spots[ids[0]].line, cost);
	}
	table_free(g.costs);
	intern_free(g.names);
	free(g.functions);
	free(g.spots);
	free(g.some);
	free(g.edges);
	free(g.addrs);
}

const struct export_format format_callgrind = {.write = write_callgrind};
