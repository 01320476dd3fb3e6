/* SPDX-License-Identifier: ISC */
#include "import.h"

#include "base/bytes.h"
#include "base/msg.h"
#include "text/folded.h"
#include "trace/signs.h"

uint32_t
import_name(struct import *im, const char *p, size_t len)
{
	im->scratch.len = 0;
	folded_add_name(&im->scratch, p, len);
	return table_name(im->table, im->scratch.p, im->scratch.len);
}

const char *
import_read(void *import, struct in *in)
{
	struct import *im = import;
	size_t have = in_fill(in, 1 << 12);
	bool gzip = bytes_starts(in->p, have, "\x1f\x8b");
	const char *name = in_name(in), *why;

	im->unit.len = im->said.len = 0;
	why = look_json(in->p, have) ? speedscope_read(im) : pprof_read(im);
	if (!trailer_read(&im->trailer, im->said.p, im->said.len))
		trailer_read(&im->trailer, im->unit.p, im->unit.len);
	if (why == NULL || !gzip)
		return why;
	msg("%s: %s", msg_str(name), why); /* not: it is packed */
	im->bad_gzip = true;
	return NULL;
}
