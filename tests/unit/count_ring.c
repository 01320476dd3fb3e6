/* SPDX-License-Identifier: ISC */
/* Spans, and the records of --trace that are kept. */
#include "trace/ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/spans.h"
#include "unit.h"

enum { FRESH = RECORD_FRESH };

static char path[] = "/tmp/kst-unit.XXXXXX";
static uint32_t bottom, f, g; /* spans */

static struct trace_ask
wish(void)
{
	struct trace_ask ask = {.on = true};

	strcpy(ask.path, path);
	return ask;
}

static void
begin(struct trace_ask ask)
{
	CHECK(ring_open(&ask, 0));
	bottom = spans_child(SPANS_NONE, SPAN_BASE, 0x1000);
	f = spans_child(bottom, SPAN_CALL, 0x2000);
	g = spans_child(f, SPAN_CALL, 0x3000);
}

/* Of stack 0 on CPU 0. */
static void
note(uint64_t time, uint32_t span, uint16_t flags)
{
	ring_note((struct record){.time = time, .span = span, .flags = flags});
}

/* The file has these records, and this time. */
static void
has(uint64_t from, uint64_t to, const struct record *want, size_t n)
{
	struct trace_head h = {0};
	struct record r;
	FILE *file = fopen(path, "r");

	CHECK(ring_end(to));
	CHECK(file && fread(&h, sizeof h, 1, file) == 1);
	CHECK(h.size == sizeof h && h.begin == from && h.end == to);
	CHECK(h.records == n && h.dropped == 0);
	for (size_t i = 0; i < n; i++) {
		CHECK(fread(&r, sizeof r, 1, file) == 1);
		CHECK(memcmp(&r, &want[i], sizeof r) == 0);
	}
	if (file)
		fclose(file);
}

#define HAS(from, to, ...)                                       \
	do {                                                     \
		const struct record want[] = {__VA_ARGS__};      \
		has(from, to, want, sizeof want / sizeof *want); \
	} while (0)

static void
spans_are_one_each(void)
{
	begin(wish());
	CHECK(f == spans_child(bottom, SPAN_CALL, 0x2000) && f != bottom);
	CHECK(g == spans_child(f, SPAN_CALL, 0x3000) && g != f);
	CHECK(spans_child(bottom, SPAN_CALL, 0x3000) != g);
	CHECK(spans_child(f, SPAN_TRAP, 0x3000) != g);
	CHECK(spans_child(f, SPAN_CALL, 0x3001) != g);
	CHECK(spans_parent(g) == f && spans_parent(f) == bottom);
	CHECK(spans_depth(g) == 3 && spans_depth(bottom) == 1);
}

static void
all_records(void)
{
	begin(wish());
	note(7, bottom, FRESH);
	note(9, bottom, 0); /* the same */
	note(10, f, FRESH);
	note(10, f, FRESH); /* again */
	note(12, bottom, 0);
	HAS(7, 20, {7, bottom, 0, 0, FRESH}, {10, f, 0, 0, FRESH},
	    {10, f, 0, 0, FRESH}, {12, bottom, 0, 0, 0});
}

static void
long_calls(void)
{
	struct trace_ask ask = wish();

	ask.least = 5;
	begin(ask);
	note(0, bottom, FRESH);
	note(10, f, FRESH); /* too short: 4 */
	note(14, bottom, 0);
	note(20, f, FRESH); /* long enough, with a short one */
	note(22, g, FRESH);
	note(23, f, 0);
	note(25, bottom, 0);
	note(30, f, FRESH); /* on another stack when it would end */
	ring_note((struct record){.time = 31, .span = bottom, .stack = 1});
	note(32, bottom, 0);
	HAS(0, 40, {0, bottom, 0, 0, FRESH}, {20, f, 0, 0, FRESH},
	    {25, bottom, 0, 0, 0}, {30, f, 0, 0, FRESH}, {31, bottom, 1, 0, 0},
	    {32, bottom, 0, 0, 0});
}

static void
last_records(void)
{
	struct trace_ask ask = wish();

	ask.last = 10;
	begin(ask);
	note(0, bottom, FRESH);
	note(5, f, FRESH);
	note(8, bottom, 0);
	note(20, f, FRESH);
	HAS(12, 22, {12, bottom, 0, 0, RECORD_BEFORE}, {20, f, 0, 0, FRESH});
}

/* The ring is the process's. */
static void
in_process(void (*test)(void))
{
	int status = 1;
	pid_t pid;

	fflush(stdout);
	if ((pid = fork()) == 0) {
		test();
		fflush(stdout);
		_exit(unit_failed != 0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
}

int
main(void)
{
	const int fd = mkstemp(path);

	CHECK(fd >= 0 && close(fd) == 0);
	in_process(spans_are_one_each);
	in_process(all_records);
	in_process(long_calls);
	in_process(last_records);
	unlink(path);
	return unit_end();
}
