/* SPDX-License-Identifier: ISC */
/* Profiles of pprof and speedscope: pprof_read() and speedscope_read(). */
#include "../../cmd/kst-import/import.h"
#include "fuzz.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct options o = {.type = size & 1 ? NULL : "cpu"};
	struct import *im = xcalloc(1, sizeof *im);

	fuzz_quiet();
	im->o = &o;
	im->table = table_new();
	fuzz_in_init(&im->in, data, size);
	while (in_fill(&im->in, 1) > 0) {
		unsigned file = im->in.file_no;

		if (*im->in.p == '{')
			speedscope_read(im);
		else
			pprof_read(im);
		in_skip_file(&im->in, file);
	}
	table_write(im->table, false);
	fuzz_drop_output();
	in_done(&im->in);
	table_free(im->table);
	buf_done(&im->scratch);
	free(im->key);
	free(im);
	return 0;
}
