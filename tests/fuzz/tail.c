/* SPDX-License-Identifier: ISC */
/* Event text to what the slow calls of some functions do. */
#include "report.h"
#include "fuzz.h"
#include "pattern/pattern.h"

static void
tail(const uint8_t *data, size_t size)
{
	struct want want = {0};
	struct slow slow = {size % 4, size % 7 + (size % 4 < 2) * 200000};
	struct buf err = BUF_INIT;
	struct calls calls;
	struct judged j;
	struct pair p;
	struct in in;

	pattern_option(&want.filter, "a|b|e", &err);
	pair_init(&p);
	p.want = &want;
	p.sink = calls_span;
	p.ctx = &calls;
	calls_init(&calls, &p, &slow);
	if (slow.kind == SLOW_WORST && slow.n == 0)
		calls.room_slow = 1;
	fuzz_in_init(&in, data, size);
	pair_read(&in, &p);
	in_done(&in);
	calls_end(&calls, &slow);
	if (calls.n_slow && calls.n_some) {
		judge(&j, &calls);
		report_say(&calls, &j);
		report_folded(&calls, &j, true);
		report_table(&calls, &j, 5);
		report_list(&calls, 5);
		judged_free(&j);
	}
	fuzz_drop_output();
	calls_done(&calls);
	pair_done(&p);
	want_done(&want);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_quiet();
	/* The output is kept in memory here, and must not be written out. */
	if (size == 0 || size > 1 << 14)
		return 0;
	out_room(1 << 26);
	tail(data, size);
	return 0;
}
