/* SPDX-License-Identifier: ISC */
/*
 * Names of frames: cleaned with every rule, twice, and the second time
 * nothing may change and nothing be empty.
 */
#include <stdio.h>

#include "../../cmd/kst-clean/names.h"
#include "base/buf.h"
#include "fuzz.h"

static void
check(struct names *n, const char *line, size_t len, bool gdb)
{
	static struct buf once;
	const char *name;
	size_t name_len;

	names_clean(n, line, len, gdb, &name, &name_len);
	if (name_len == 0)
		abort();
	once.len = 0;
	buf_add(&once, name, name_len);
	names_clean(n, once.p, once.len, gdb, &name, &name_len);
	if (name_len != once.len || memcmp(name, once.p, once.len) != 0) {
		printf("once '%.*s' twice '%.*s'\n", (int)once.len, once.p,
		    (int)name_len, name);
		fflush(stdout);
		abort();
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool demangle = size & 1;
	struct names_options o = {.demangle = demangle};
	/* the rules are the same for all inputs */
	static struct names *kept[2];
	struct names *n;
	struct fuzz_lines in;
	const char *line, *name;
	size_t len, name_len;

	if (kept[demangle] == NULL)
		kept[demangle] = names_new(&o);
	n = kept[demangle];
	fuzz_lines_init(&in, data, size);
	while (fuzz_lines_next(&in, &line, &len)) {
		if (len == 0)
			continue;
		if (line[len - 1] != ' ' && line[0] != ' ' && !demangle)
			check(n, line, len, true);
		names_clean(n, line, len, true, &name, &name_len);
		names_clean(n, line, len, false, &name, &name_len);
	}
	fuzz_lines_done(&in);
	return 0;
}
