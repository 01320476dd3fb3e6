/* SPDX-License-Identifier: ISC */
/* First lines of samples, as perf script prints them with other fields. */
#include "perf.h"
#include "unit.h"

static struct sample_line s;

static bool
is_sample(const char *line)
{
	s = (struct sample_line){0};
	return line_sample(line, strlen(line), &s);
}

#define IS(what, text) CHECK_TEXT(s.what.p, s.what.len, text)

static void
test_fields(void)
{
	CHECK(is_sample("bash 1234/1235 [001] d..1. 5123.456789: 250000 "
			"cpu-clock:ppp: ffff8 x"));
	IS(comm, "bash");
	IS(pid, "1234");
	IS(tid, "1235");
	IS(cpu, "001");
	IS(time, "5123.456789");
	IS(event, "cpu-clock:ppp");
	IS(rest, " ffff8 x");
	CHECK(s.period == 250000);
	/* three words of flags before the time, and no more */
	CHECK(is_sample("a 1 [0] b c 1.5: cycles:"));
	IS(time, "1.5");
	CHECK(!is_sample("a 1 [0] b c d 1.5: cycles: zzz"));
	/* a number is a thread's, and a CPU has its brackets */
	CHECK(is_sample("a 1 222 1.5:"));
	IS(comm, "a 1");
	IS(tid, "222");
	CHECK(is_sample("a 1 x1y 1.5: cycles:"));
	CHECK(s.cpu.len == 0);
	CHECK(is_sample("a 1 [01x] 1.5: cycles:"));
	CHECK(s.cpu.len == 0);
	CHECK(is_sample("a 1 [] 1.5: cycles:"));
	CHECK(s.cpu.len == 0);
	/* the name of a command that ends in digits is no thread */
	CHECK(is_sample("x12 1.5: cycles:"));
	IS(comm, "x12");
	CHECK(s.tid.len == 0);
	CHECK(is_sample("a b 7 12 1.5: 3 cycles:"));
	IS(comm, "a b 7");
	IS(tid, "12");
	/* half a thread is a part of the name */
	CHECK(is_sample("a /12 1.5: cycles:") && s.tid.len == 0);
	IS(comm, "a /12");
	CHECK(is_sample("a 12/ 1.5: cycles:") && s.tid.len == 0);
	IS(comm, "a 12/");
	CHECK(!is_sample("") && !is_sample("bash") && !is_sample("bash 12"));
}

/* Without a time: a thread, an event, and nothing or an address. */
static void
test_bare(void)
{
	CHECK(is_sample("a 12 cycles:"));
	IS(event, "cycles");
	CHECK(is_sample("a 12 3 cycles:"));
	CHECK(s.period == 3);
	CHECK(is_sample("a 12 cycles: ffff8"));
	CHECK(!is_sample("a 12 cycles: fff8"));
	CHECK(!is_sample("a 12 cycles: zzzzz"));
	CHECK(!is_sample("a 12 zzzzz"));
	CHECK(!is_sample("a 12 :"));
	/* without a thread, or without an event */
	CHECK(!is_sample("a 1.5: 25 zzzzz"));
	CHECK(is_sample("a 12 1.5: 25 zzzzz"));
	CHECK(s.event.len == 0 && s.period == 0);
	IS(rest, " 25 zzzzz");
}

int
main(void)
{
	test_fields();
	test_bare();
	return unit_end();
}
