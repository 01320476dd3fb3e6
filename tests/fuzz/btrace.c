/* SPDX-License-Identifier: ISC */
/* What btrace(8) and bpftrace print: gathered, split, folded, written. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../cmd/kst-btrace/gather.h"
#include "../../cmd/kst-btrace/folding.h"
#include "fuzz.h"
#include "io/out.h"

static void
add(void *arg, const struct raw_stack *raw)
{
	folding_add(arg, raw);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct folding_options opt = {.keep_offset = size & 1,
	    .mode = (enum folding_mode)(size >> 1 & 3) % 3,
	    .skip = size & 8 ? 2 : 0};
	struct folding *stacks = folding_new(&opt);
	struct gather g = {.stack = add, .arg = stacks};
	const char *line = NULL;
	size_t len;
	struct fuzz_lines in;

	gather_init(&g);
	fuzz_lines_init(&in, data, size);
	while (fuzz_lines_next(&in, &line, &len))
		gather_line(&g, line, len);
	gather_end(&g);
	folding_put(stacks);
	fuzz_drop_output();
	fuzz_lines_done(&in);
	gather_done(&g);
	folding_free(stacks);
	return 0;
}
