/* SPDX-License-Identifier: ISC */
/* Spans, and the records of --trace that are kept. */
#include "trace/ring.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trace/pack.h"
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
	struct record r = {0};
	static uint8_t bytes[1 << 24];
	const uint8_t *p = bytes;
	FILE *file = fopen(path, "r");

	CHECK(ring_end(to));
	CHECK(file && fread(&h, sizeof h, 1, file) == 1);
	CHECK(h.size == sizeof h && h.begin == from && h.end == to);
	CHECK(h.records == n && h.dropped == 0 && h.bytes <= sizeof bytes);
	CHECK(fread(bytes, 1, h.bytes, file) == h.bytes);
	for (size_t i = 0; i < n && p; i++) {
		p = pack_get(p, bytes + h.bytes, &r);
		CHECK(memcmp(&r, &want[i], sizeof r) == 0);
	}
	CHECK(p == bytes + h.bytes);
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

/* All records are older than what is asked for. */
static void
no_last_records(void)
{
	struct trace_ask ask = wish();

	ask.last = 10;
	begin(ask);
	note(0, bottom, FRESH);
	note(5, f, FRESH);
	HAS(90, 100, {90, f, 0, 0, RECORD_BEFORE});
}

/*
 * A ring of which the first ones have left grows, twice, while time stands
 * still: its records are those that were noted, in their order.
 */
static void
grows(void)
{
	enum { STEPS = 60000, STILL = 60000, LAST = 10000 };
	struct record *want = calloc(1 + STEPS + STILL, sizeof *want);
	struct trace_ask ask = wish();
	size_t n = 1;

	ask.last = LAST;
	begin(ask);
	for (uint32_t i = 0; i < STEPS + STILL; i++) {
		const struct record r = {.time = i < STEPS ? i : STEPS,
		    .span = i % 2 ? f : bottom,
		    .flags = i % 2 ? FRESH : 0};

		ring_note(r);
		if (r.time >= STEPS - LAST)
			want[n++] = r;
	}
	/* how all begins is what was noted before */
	want[0] = (struct record){.time = STEPS - LAST,
	    .span = (STEPS - LAST) % 2 ? bottom : f,
	    .flags = RECORD_BEFORE};
	has(STEPS - LAST, STEPS, want, n);
	free(want);
}

/* Of many on several stacks, only the last are kept, in some chunks. */
static void
many_records(void)
{
	enum { MANY = 1500000, END = 1 << 24, LAST = 9000000, STACKS = 7 };
	struct trace_ask ask = wish();
	static struct record v[STACKS + MANY];
	struct record before[STACKS];
	uint64_t x = 1, time = 0;
	size_t n = 0, first = 0, stacks = 0;

	ask.last = LAST;
	begin(ask);
	for (size_t i = 0; i < MANY; i++, time += x >> 60) {
		const uint32_t span[] = {bottom, f, g};

		x = x * UINT64_C(6364136223846793005) + 1442695040888963407;
		v[STACKS + n++] = (struct record){.time = time,
		    .span = span[(x >> 40) % 3],
		    .stack = (x >> 44) % STACKS,
		    .cpu = x >> 50 & 3,
		    .flags = FRESH};
		ring_note(v[STACKS + n - 1]);
	}
	while (v[STACKS + first].time < END - LAST)
		first++;
	for (size_t i = first; i-- > 0 && stacks < STACKS;) {
		struct record r = v[STACKS + i];
		size_t k = 0;

		while (k < stacks && before[k].stack != r.stack)
			k++;
		if (k < stacks)
			continue;
		r.time = END - LAST;
		r.flags = RECORD_BEFORE;
		before[stacks++] = r;
	}
	CHECK(time < END && stacks == STACKS);
	for (size_t k = 0; k < STACKS; k++)
		v[first + k] = before[STACKS - 1 - k];
	has(END - LAST, END, v + first, STACKS + n - first);
}

/* As they were, from any bytes in which they are whole. */
static void
packed_records(void)
{
	const struct record v[] = {
	    {UINT64_MAX, UINT32_MAX, UINT16_MAX, 1023, 7}, {0, 1, 0, 0, 0},
	    {127, 2, 0, 0, 1}, {255, 1, 0, 3, 0},
	    {16639, 1U << 23, 4095, 3, 2}};
	uint8_t bytes[sizeof v / sizeof *v * PACK_MOST], *end = bytes;
	struct record last = {0}, r = {0};
	const uint8_t *p = bytes;

	for (size_t i = 0; i < sizeof v / sizeof *v; last = v[i++]) {
		const uint8_t *begin = end;

		end = pack_put(end, &v[i], &last);
		CHECK(end - begin <= PACK_MOST);
		for (const uint8_t *cut = begin; cut < end; cut++) {
			r = last;
			CHECK(pack_get(begin, cut, &r) == NULL);
		}
	}
	r = (struct record){0};
	for (size_t i = 0; i < sizeof v / sizeof *v && p; i++) {
		p = pack_get(p, end, &r);
		CHECK(memcmp(&r, &v[i], sizeof r) == 0);
	}
	CHECK(p == end);
	memset(bytes, 255, sizeof bytes); /* a number without an end */
	CHECK(pack_get(bytes, bytes + sizeof bytes, &r) == NULL);
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
	in_process(no_last_records);
	in_process(grows);
	in_process(many_records);
	packed_records();
	unlink(path);
	return unit_end();
}
