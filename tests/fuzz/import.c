/* SPDX-License-Identifier: ISC */
/* Profiles of pprof: pprof_read(). */
#include "profile/table_write.h"
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
	if (in_fill(&im->in, 1) > 0)
		import_read(im, &im->in);
	table_write(im->table, false);
	fuzz_drop_output();
	in_done(&im->in);
	table_free(im->table);
	buf_done(&im->said);
	buf_done(&im->unit);
	free(im);
	return 0;
}
