/* SPDX-License-Identifier: ISC */
/* Records of --trace as begins and ends: what is open on which track. */
#include "emit.h"

#include <stdlib.h>

#include "io/out.h"
#include "unit.h"

enum { FRESH = RECORD_FRESH, BORN = RECORD_BORN, BEFORE = RECORD_BEFORE };
/* Spans: main; f and g, one in the other, below it; an exception in f; and what
 * has no caller, either. */
enum { NONE = NO_SPAN, MAIN, F, G, TRAP, IDLE, SPANS };

/* The events of n records, which begin and end at these times. */
static void
emits(bool by_stack, uint64_t begin, uint64_t end, const struct record *r,
    size_t n, const char *want)
{
	static struct trace_span span[SPANS] = {[MAIN] = {1, NONE, SPAN_BASE},
	    [F] = {2, MAIN, SPAN_CALL},
	    [G] = {3, F, SPAN_CALL},
	    [TRAP] = {4, F, SPAN_TRAP},
	    [IDLE] = {5, NONE, SPAN_BASE}};
	static uint32_t depth[SPANS] = {
	    [MAIN] = 1, [F] = 2, [G] = 3, [TRAP] = 3, [IDLE] = 1};
	static struct piece name[SPANS] = {[MAIN] = {"main", 4},
	    [F] = {"f", 1},
	    [G] = {"g", 1},
	    [TRAP] = {"irq", 3},
	    [IDLE] = {"idle", 4}};
	struct events e = {.head = {.begin = begin, .end = end},
	    .span = span,
	    .depth = depth,
	    .name = name,
	    .by_stack = by_stack,
	    .running = NO_TRACK};

	for (size_t i = 0; i < n; i++)
		emit_record(&e, &r[i]);
	emit_end(&e);
	out_putc('\0');
	for (char *p = out.p; (p = strpbrk(p, "\t")) != NULL;)
		*p = ' ';
	CHECK_TEXT(out.p, out.len - 1, want);
	out.len = 0;
}

#define CASE(by_stack, begin, end, want, ...)                               \
	do {                                                                \
		const struct record r[] = {__VA_ARGS__};                    \
		emits(by_stack, begin, end, r, sizeof r / sizeof *r, want); \
	} while (0)

/* time, span, stack, CPU, flags */
static void
calls(void)
{
	CASE(false, 0, 9,
	    "0 CPU#0 B main\n2 CPU#0 B f\n3 CPU#0 E f\n3 CPU#0 B f\n"
	    "4 CPU#0 B <signal handler called>\n4 CPU#0 B irq\n"
	    "5 CPU#0 E irq\n5 CPU#0 E <signal handler called>\n"
	    "6 CPU#0 B g\n7 CPU#0 E g\n7 CPU#0 E f\n9 CPU#0 E main ~\n",
	    {0, MAIN, 0, 0, FRESH}, {2, F, 0, 0, FRESH}, {3, F, 0, 0, FRESH},
	    {4, TRAP, 0, 0, FRESH}, {5, F, 0, 0, 0}, {6, G, 0, 0, FRESH},
	    {7, MAIN, 0, 0, 0});
	/* of two stacks what both have stays */
	CASE(false, 0, 9,
	    "0 CPU#0 B main\n2 CPU#0 B f\n2 CPU#0 B g\n3 CPU#0 E g\n"
	    "3 CPU#0 B <signal handler called>\n3 CPU#0 B irq\n"
	    "4 CPU#0 E irq\n4 CPU#0 E <signal handler called>\n"
	    "4 CPU#0 E f\n4 CPU#0 E main\n4 CPU#0 B idle ~\n5 CPU#0 E idle\n"
	    "5 CPU#0 B idle\n6 CPU#0 E idle\n",
	    {0, MAIN, 0, 0, FRESH}, {2, F, 0, 0, FRESH}, {2, G, 0, 0, FRESH},
	    {3, TRAP, 0, 0, FRESH}, {4, IDLE, 0, 0, 0}, {5, IDLE, 0, 0, FRESH},
	    {6, NONE, 0, 0, FRESH});
	/* what is returned to was open, when and where it began is not known */
	CASE(false, 5, 9,
	    "5 CPU#2 B main ~\n5 CPU#2 B f ~\n7 CPU#2 E f\n"
	    "8 CPU#2 B f ~\n8 CPU#2 B g\n9 CPU#2 E g ~\n9 CPU#2 E f ~\n"
	    "9 CPU#2 E main ~\n",
	    {5, F, 0, 2, 0}, {7, MAIN, 0, 2, 0}, {8, G, 0, 2, FRESH});
	/* of a call what is around it, up to when the records begin */
	CASE(false, 5, 9,
	    "5 CPU#0 B main ~\n5 CPU#0 B [away]\n7 CPU#0 E [away]\n"
	    "7 CPU#0 B f\n9 CPU#0 E f ~\n9 CPU#0 E main ~\n",
	    {7, F, 0, 0, FRESH});
}

static void
cpus(void)
{
	/* one is away while another one executes, if anything is open */
	CASE(false, 0, 9,
	    "0 CPU#0 B main\n2 CPU#0 B [away]\n0 CPU#1 B main ~\n"
	    "0 CPU#1 B [away]\n2 CPU#1 E [away]\n2 CPU#1 B f\n"
	    "4 CPU#1 B [away]\n4 CPU#0 E [away]\n4 CPU#0 E main\n"
	    "6 CPU#1 E [away]\n6 CPU#1 E f\n9 CPU#1 E main ~\n",
	    {0, MAIN, 0, 0, FRESH}, {2, F, 1, 1, FRESH}, {4, NONE, 0, 0, 0},
	    {6, MAIN, 1, 1, 0});
	/* one that comes later was on what it goes on with */
	CASE(false, 0, 9,
	    "0 CPU#0 B main\n4 CPU#0 B [away]\n0 CPU#1 B main ~\n"
	    "0 CPU#1 B f ~\n0 CPU#1 B [away]\n4 CPU#1 E [away]\n"
	    "9 CPU#0 E [away]\n9 CPU#0 E main ~\n9 CPU#1 E f ~\n"
	    "9 CPU#1 E main ~\n",
	    {0, MAIN, 0, 0, FRESH}, {4, F, 1, 1, 0});
	/* at another stack all ends, with no return */
	CASE(false, 0, 9,
	    "0 CPU#0 B main\n1 CPU#0 B f\n4 CPU#0 E f ~\n4 CPU#0 E main ~\n"
	    "4 CPU#0 B main ~\n4 CPU#0 B f ~\n6 CPU#0 E f\n9 CPU#0 E main ~\n",
	    {0, MAIN, 0, 0, FRESH}, {1, F, 0, 0, FRESH}, {4, F, 3, 0, 0},
	    {6, MAIN, 3, 0, 0});
}

static void
stacks(void)
{
	/* each is a track, on whichever CPU; a new one has nothing of before */
	CASE(true, 0, 9,
	    "0 stack#0 B main\n1 stack#0 B f\n4 stack#0 B [away]\n"
	    "4 stack#1 B main\n6 stack#1 B [away]\n6 stack#0 E [away]\n"
	    "6 stack#0 E f\n7 stack#0 B [away]\n7 stack#1 E [away]\n"
	    "7 stack#1 E main ~\n7 stack#1 B main\n"
	    "9 stack#0 E [away]\n9 stack#0 E main ~\n9 stack#1 E main ~\n",
	    {0, MAIN, 0, 0, FRESH}, {1, F, 0, 0, FRESH},
	    {4, MAIN, 1, 0, FRESH | BORN}, {6, MAIN, 0, 1, 0},
	    {7, MAIN, 1, 0, FRESH | BORN});
}

/* How it was when the records begin; the last one executes. */
static void
before(void)
{
	const char *cpus_are =
	    "5 CPU#0 B main ~\n5 CPU#0 B [away]\n5 CPU#1 B main ~\n"
	    "5 CPU#1 B f ~\n6 CPU#1 E f\n8 CPU#1 B [away]\n8 CPU#0 E [away]\n"
	    "8 CPU#0 E main\n9 CPU#1 E [away]\n9 CPU#1 E main ~\n";

	CASE(false, 5, 9, cpus_are, {5, MAIN, 0, 0, BEFORE},
	    {5, F, 1, 1, BEFORE}, {6, MAIN, 1, 1, 0}, {8, NONE, 0, 0, 0});
	CASE(true, 5, 9,
	    "5 stack#1 B main ~\n5 stack#1 B f ~\n6 stack#1 E f\n"
	    "8 stack#1 B [away]\n5 stack#0 B main ~\n5 stack#0 B [away]\n"
	    "8 stack#0 E [away]\n8 stack#0 B f ~\n8 stack#0 B g\n"
	    "9 stack#0 E g ~\n9 stack#0 E f ~\n9 stack#0 E main ~\n"
	    "9 stack#1 E [away]\n9 stack#1 E main ~\n",
	    {5, MAIN, 0, 0, BEFORE}, {5, F, 1, 1, BEFORE}, {6, MAIN, 1, 1, 0},
	    {8, G, 0, 0, FRESH});
	/* and no record is in the range */
	CASE(false, 5, 9,
	    "5 CPU#0 B main ~\n5 CPU#0 B [away]\n5 CPU#1 B main ~\n"
	    "9 CPU#0 E [away]\n9 CPU#0 E main ~\n9 CPU#1 E main ~\n",
	    {5, MAIN, 0, 0, BEFORE}, {5, MAIN, 1, 1, BEFORE});
}

int
main(void)
{
	calls();
	cpus();
	stacks();
	before();
	return unit_end();
}
