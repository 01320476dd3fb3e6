/* SPDX-License-Identifier: ISC */
/* What gdb says: lines of its machine interface, and a backtrace. */
#include "gdb/gdb.h"

#include "guest/sample.h"
#include "fuzz.h"

static void
take_line(const char *line, size_t len)
{
	struct buf text = BUF_INIT, quoted = BUF_INIT;
	char *string = xmemdup0(line, len);

	mi_value(string, "reason", &text);
	mi_unquote(string, &text);
	mi_quote(&quoted, buf_str(&text));
	buf_done(&quoted);
	buf_done(&text);
	free(string);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sample s = {0};
	struct fuzz_lines in;
	const char *line;
	size_t len;

	fuzz_quiet();
	fuzz_lines_init(&in, data, size);
	while (fuzz_lines_next(&in, &line, &len))
		take_line(line, len);
	fuzz_lines_done(&in);
	buf_add(&s.text, (const char *)data, size);
	gdb_text_finish(&s);
	buf_done(&s.text);
	return 0;
}
