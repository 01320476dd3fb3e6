/* SPDX-License-Identifier: ISC */
/* What btrace(8) and bpftrace print: gathered, split, folded, written. */
#include "../../cmd/kst-btrace/gather.h"
#include "../../cmd/kst-btrace/give.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct options o = {.keep_offset = size & 1,
	    .mode = (size >> 1 & 3) % 3,
	    .skip = size & 8 ? 2 : 0};
	struct in in = {.name = "fuzz"}; /* for messages */
	struct gather g = {.o = &o, .in = &in};
	struct fuzz_lines lines;
	const char *line = NULL;
	size_t len;

	fuzz_quiet();
	gather_init(&g);
	fuzz_lines_init(&lines, data, size);
	while (fuzz_lines_next(&lines, &line, &len))
		gather_line(&g, line, len);
	gather_end(&g);
	folding_put(g.stacks);
	fuzz_drop_output();
	fuzz_lines_done(&lines);
	gather_done(&g);
	return 0;
}
