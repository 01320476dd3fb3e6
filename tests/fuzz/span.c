/* SPDX-License-Identifier: ISC */
/* Event text to the output that the byte in its middle chooses. */
#include "../../cmd/kst-span/chart.h"
#include "span.h"
#include "span/want.h"
#include "fuzz.h"
#include "pattern/pattern.h"

static void
fold(const uint8_t *data, size_t size)
{
	struct pair p;
	struct in in;

	pair_init(&p);
	p.by_track = size & 1;
	fuzz_in_init(&in, data, size);
	pair_read(&in, &p);
	in_done(&in);
	fuzz_drop_output();
	fold_print(&p, false);
	fold_print(&p, true);
	fuzz_drop_output();
	pair_done(&p);
}

static void
listing(const uint8_t *data, size_t size)
{
	struct pair p;
	struct list list = {.p = &p,
	    .most = UINT64_MAX,
	    .order = size & 1 ? LIST_BEGIN : LIST_END};
	struct in in;

	pair_init(&p);
	p.keep_args = true;
	p.sink = list_span;
	p.ctx = &list;
	fuzz_in_init(&in, data, size);
	pair_read(&in, &p);
	in_done(&in);
	list_end(&list);
	fuzz_drop_output();
	pair_done(&p);
}

static void
table(const uint8_t *data, size_t size)
{
	struct summary *m;
	struct pair p;
	struct in in;

	pair_init(&p);
	m = summary_new(&p);
	p.sink = summary_span;
	p.ctx = m;
	fuzz_in_init(&in, data, size);
	pair_read(&in, &p);
	in_done(&in);
	summary_print(m, size % (SORT_NAME + 1), size, size & 1);
	fuzz_drop_output();
	summary_free(m);
	pair_done(&p);
}

/* A part of it as a chart. */
static void
chart(const uint8_t *data, size_t size)
{
	struct want want = {.range = {.since = {true, size & 1, size & 255},
				.period = size & 2 ? size : 0}};
	struct buf err = BUF_INIT;
	struct pair p;
	struct in in;

	if (size & 4)
		pattern_option(&want.filter, "a|b", &err);
	if (size & 8)
		pattern_option(&want.notrace, "c", &err);
	pair_init(&p);
	p.by_track = true;
	p.want = &want;
	p.time = chart_time;
	fuzz_in_init(&in, data, size);
	pair_read(&in, &p);
	in_done(&in);
	chart_print(&p);
	fuzz_drop_output();
	chart_done(&p);
	pair_done(&p);
	want_done(&want);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const outputs[])(const uint8_t *, size_t) = {
	    fold, listing, table, chart};

	fuzz_quiet();
	/* The output is kept in memory here, and must not be written out. */
	if (size == 0 || size > 1 << 14)
		return 0;
	out_room(1 << 26);
	outputs[data[size / 2] % 4](data, size);
	return 0;
}
