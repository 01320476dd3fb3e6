/* SPDX-License-Identifier: ISC */
/* Stacks and events as other programs' profiles, through events_read(). */
#include "../../cmd/kst-export/export.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	/* a stack of each shape: what a file without one is like is not asked
	 */
	static const char tail[] = "\na 1\n#0  a ()\n";
	const struct options o = {
	    .format = 1 + size % 5, .by = (unsigned)(size / 5 % 5)};
	uint8_t *text = xmalloc(size + sizeof tail);
	struct in in;

	fuzz_quiet();
	if (size)
		memcpy(text, data, size);
	memcpy(text + size, tail, sizeof tail - 1);
	fuzz_in_init(&in, text, size + sizeof tail - 1);
	export_run(&o, &in);
	fuzz_drop_output();
	in_done(&in);
	free(text);
	return 0;
}
