/* SPDX-License-Identifier: ISC */
/* Linker names, one a line. */
#include "names/demangle.h"

#include <stdint.h>

#include "base/buf.h"
#include "fuzz.h"

enum { NAMES = 8 };

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_lines in;
	struct buf out_text = BUF_INIT;
	const char *line = NULL;
	size_t len;
	int n = 0;

	fuzz_lines_init(&in, data, size);
	while (n++ < NAMES && fuzz_lines_next(&in, &line, &len)) {
		out_text.len = 0;
		demangle_name(line, len, &out_text);
	}
	fuzz_lines_done(&in);
	buf_done(&out_text);
	return 0;
}
