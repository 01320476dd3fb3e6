/* SPDX-License-Identifier: ISC */
#include "import.h"

#include "text/folded.h"

uint32_t
import_name(struct import *im, const char *p, size_t len)
{
	im->scratch.len = 0;
	folded_add_name(&im->scratch, p, len);
	return table_name(im->table, im->scratch.p, im->scratch.len);
}

void
import_add(struct import *im, size_t n, const struct count *count)
{
	im->overflows += table_add(im->table, im->key, n, count) != 0;
}

void
import_trailer(struct import *im, const char *p, size_t len, const char *unit)
{
	struct buf line = BUF_INIT;

	if (len == 0 || !trailer_read(&im->trailer, p, len)) {
		buf_adds(&line, FOLDED_TRAILER "unit=");
		buf_adds(&line, unit);
		trailer_read(&im->trailer, line.p, line.len);
	}
	buf_done(&line);
}
