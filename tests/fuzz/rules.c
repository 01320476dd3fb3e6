/* SPDX-License-Identifier: ISC */
/*
 * A rule file, applied to names: what precedes the first NUL byte is the file,
 * what follows is a name a line. No name may become longer than 16 KiB.
 */
#include "base/buf.h"
#include "fuzz.h"
#include "names/rulefile.h"
#include "names/rules.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
	size_t len = nul ? (size_t)(nul - data) : size;
	struct buf text = BUF_INIT, name = BUF_INIT;
	struct rules *r = rules_new();
	struct fuzz_lines in;
	const char *line;

	fuzz_quiet();
	rules_add_text(r, "fuzz", (const char *)data, len, "left-out");
	rules_text((const char *)data, len, "left-out", &text);
	rules_list(r, &text);
	fuzz_lines_init(&in, data + len, size - len);
	while (fuzz_lines_next(&in, &line, &len)) {
		name.len = 0;
		buf_add(&name, line, len);
		rules_apply(r, &name);
		if (name.len > len && name.len > 1 << 14)
			abort();
	}
	fuzz_lines_done(&in);
	rules_free(r);
	buf_done(&name);
	buf_done(&text);
	return 0;
}
