/* SPDX-License-Identifier: ISC */
/* Files of pprof, mostly packed by gzip. */
#include "import.h"

#include <zlib.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "trace/signs.h"

/* Appends the unpacked file. */
static const char *
read_file(struct in *in, struct buf *b)
{
	const unsigned file = in->file_no;
	bool gzip = bytes_starts(in->p, (size_t)(in->end - in->p), "\x1f\x8b");
	z_stream z = {0};
	int status = gzip ? inflateInit2(&z, 16 + MAX_WBITS) : Z_OK;

	while (status == Z_OK && b->len <= PPROF_MAX && in_more(in, file)) {
		size_t have = (size_t)(in->end - in->p);

		if (!gzip) {
			buf_add(b, in->p, have);
			in->p += have;
			continue;
		}
		buf_room(b, 1 << 16);
		z.next_in = (unsigned char *)(uintptr_t)in->p;
		z.avail_in = (unsigned)have;
		z.next_out = (unsigned char *)b->p + b->len;
		z.avail_out = 1 << 16;
		status = inflate(&z, Z_NO_FLUSH);
		in->p = (const char *)z.next_in;
		b->len = (size_t)((char *)z.next_out - b->p);
		if (status == Z_STREAM_END && in_more(in, file))
			status = inflateReset(&z); /* a further member */
	}
	if (status == Z_MEM_ERROR)
		msg_die(EXIT_SYSTEM, "out of memory");
	inflateEnd(&z);
	return b->len > PPROF_MAX ? "too large"
	       : gzip && status != Z_STREAM_END
		   ? "truncated, or not in gzip's format"
		   : NULL;
}

const char *
import_read(void *import, struct in *in)
{
	struct import *im = import;
	size_t have = in_fill(in, 1 << 12);
	bool gzip = bytes_starts(in->p, have, "\x1f\x8b");
	const char *name = in_name(in), *why;
	struct buf b = BUF_INIT;

	im->unit.len = im->said.len = 0;
	why = read_file(in, &b);
	if (why == NULL)
		why = pprof_read(im, (struct piece){buf_str(&b), b.len});
	buf_done(&b);
	if (!trailer_read(&im->trailer, buf_str(&im->said), im->said.len))
		trailer_read(&im->trailer, buf_str(&im->unit), im->unit.len);
	if (why == NULL || !gzip)
		return why;
	msg("%s: %s", msg_str(name), why); /* not: it is packed */
	im->bad_gzip = true;
	return NULL;
}
