/* SPDX-License-Identifier: ISC */
#include "import.h"

#include "base/bytes.h"
#include "base/msg.h"
#include "trace/signs.h"

const char *
import_read(void *import, struct in *in)
{
	struct import *im = import;
	size_t have = in_fill(in, 1 << 12);
	bool gzip = bytes_starts(in->p, have, "\x1f\x8b");
	const char *name = in_name(in), *why;

	im->unit.len = im->said.len = 0;
	why = look_json(in->p, have) ? speedscope_read(im) : pprof_read(im);
	if (!trailer_read(&im->trailer, buf_str(&im->said), im->said.len))
		trailer_read(&im->trailer, buf_str(&im->unit), im->unit.len);
	if (why == NULL || !gzip)
		return why;
	msg("%s: %s", msg_str(name), why); /* not: it is packed */
	im->bad_gzip = true;
	return NULL;
}
