/* SPDX-License-Identifier: ISC */
/*
 * Names of frames: cleaned with every rule, twice, and the second time
 * nothing may change and nothing be empty.
 */
#include <stdio.h>

#include "../../cmd/kst-clean/names.h"
#include "fuzz.h"
#include "names/rules.h"

static void
check(struct names *n, const char *line, size_t len, bool gdb)
{
	const struct memo_entry *once = names_get(n, line, len, gdb), *twice;

	if (once->len == 0)
		abort();
	twice = names_get(n, memo_result(once), once->len, gdb);
	if (twice->len != once->len ||
	    memcmp(memo_result(once), memo_result(twice), once->len) != 0) {
		printf("once '%.*s' twice '%.*s'\n", (int)once->len,
		    memo_result(once), (int)twice->len, memo_result(twice));
		fflush(stdout);
		abort();
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct names *of[2];
	bool demangle = size & 1;
	struct names_options o = {.demangle = demangle};
	struct names *n;
	struct fuzz_lines in;
	const char *line;
	size_t len;

	if (of[demangle] == NULL)
		of[demangle] = names_new(&o);
	n = of[demangle];
	fuzz_lines_init(&in, data, size);
	while (fuzz_lines_next(&in, &line, &len)) {
		if (len == 0)
			continue;
		if (line[len - 1] != ' ' && line[0] != ' ' && !demangle)
			check(n, line, len, true);
		names_get(n, line, len, true);
		names_get(n, line, len, false);
		names_trim(n);
	}
	fuzz_lines_done(&in);
	return 0;
}
