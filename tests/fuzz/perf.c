/* SPDX-License-Identifier: ISC */
/* What perf script prints, as trace text or folded text. */
#include <stdlib.h>

#include "../../cmd/kst-perf/perf.h"
#include "fuzz.h"
#include "profile/table_write.h"
#include "profile/table.h"
#include "set/intern.h"
#include "trace/memo.h"
#include "trace/signs.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct options o = {.folded = size & 1,
	    .tid = size & 2,
	    .kernel = size & 4,
	    .jit = size & 4,
	    .addrs = size & 8,
	    .event = size & 16 ? "cycles" : NULL};
	struct perf *r = xcalloc(1, sizeof *r);

	fuzz_quiet();
	r->o = &o;
	r->overflow.what = "count";
	r->events = intern_new();
	r->table = table_new();
	r->memo = memo_new(1 << 20);
	fuzz_in_init(&r->in, data, size);
	signs_files(&r->in, perf_read, r);
	if (o.folded)
		table_write(r->table, false);
	fuzz_drop_output();
	in_done(&r->in);
	intern_free(r->events);
	table_free(r->table);
	memo_free(r->memo);
	buf_done(&r->unit);
	buf_done(&r->head);
	buf_done(&r->text);
	buf_done(&r->name);
	buf_done(&r->made);
	free(r);
	return 0;
}
