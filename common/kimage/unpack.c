/* SPDX-License-Identifier: ISC */
/*
 * Each format's loop goes on until the packed data ends: what follows, such as
 * the size that a bzImage has there, is not looked at.
 */
#include "kimage/unpack.h"

#include "base/buf.h"

#include <lz4.h>
#include <lzma.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "base/num.h"
#include "base/port.h"

enum {
	BLOCK = PORT_LIMIT(256 << 10, 16 << 10),
	/* as the format has it */
	LZ4_BLOCK = PORT_LIMIT(8 << 20, 64 << 10),
	MEMORY_MAX = 256 << 20 /* of a decoder */
};

/* Makes room for n bytes more; false when there are too many already. */
static bool
has_room(struct buf *to, size_t n)
{
	if (to->len > IMAGE_MAX)
		return false;
	buf_room(to, n);
	return true;
}

static bool
un_gzip(const uint8_t *p, size_t len, struct buf *to)
{
	z_stream z = {
	    .next_in = (uint8_t *)(uintptr_t)p, .avail_in = (unsigned)len};
	int status = inflateInit2(&z, 16 + MAX_WBITS);

	while (status == Z_OK && has_room(to, BLOCK)) {
		z.next_out = (uint8_t *)to->p + to->len;
		z.avail_out = BLOCK;
		status = inflate(&z, Z_NO_FLUSH);
		to->len += BLOCK - z.avail_out;
	}
	inflateEnd(&z);
	return status == Z_STREAM_END;
}

static bool
un_lzma(const uint8_t *p, size_t len, struct buf *to)
{
	lzma_stream z = LZMA_STREAM_INIT;
	lzma_ret status = lzma_auto_decoder(&z, MEMORY_MAX, 0);

	z.next_in = p;
	z.avail_in = len;
	while (status == LZMA_OK && has_room(to, BLOCK)) {
		z.next_out = (uint8_t *)to->p + to->len;
		z.avail_out = BLOCK;
		status = lzma_code(&z, LZMA_RUN);
		to->len += BLOCK - z.avail_out;
	}
	lzma_end(&z);
	return status == LZMA_STREAM_END;
}

static bool
un_zstd(const uint8_t *p, size_t len, struct buf *to)
{
	ZSTD_DCtx *z = ZSTD_createDCtx();
	ZSTD_inBuffer in = {p, len, 0};
	size_t left = 1, n = 1;

	while (z != NULL && left != 0 && n > 0 && has_room(to, BLOCK)) {
		ZSTD_outBuffer out = {to->p + to->len, BLOCK, 0};

		n = in.pos;
		left = ZSTD_decompressStream(z, &out, &in);
		n = ZSTD_isError(left) ? 0 : in.pos - n + out.pos;
		to->len += out.pos;
	}
	ZSTD_freeDCtx(z);
	return left == 0;
}

/* Blocks with their packed sizes; the last one is not a full one. */
static bool
un_lz4(const uint8_t *p, size_t len, struct buf *to)
{
	size_t at = 4;
	int n = LZ4_BLOCK;

	while (n == LZ4_BLOCK && len - at >= 4 && has_room(to, LZ4_BLOCK)) {
		const uint64_t packed = uint_load(p + at, 4, false);

		at += 4;
		if (packed > len - at || packed > LZ4_COMPRESSBOUND(LZ4_BLOCK))
			break;
		n = LZ4_decompress_safe((const char *)p + at, to->p + to->len,
		    (int)packed, LZ4_BLOCK);
		at += packed;
		to->len += n > 0 ? (size_t)n : 0;
	}
	return n >= 0 && to->len > 0;
}

static const struct format {
	const char *name, *magic;
	size_t len;
	bool (*undo)(const uint8_t *p, size_t len, struct buf *to);
} formats[] = {{"gzip", "\037\213\010", 3, un_gzip},
    {"xz", "\3757zXZ\0", 6, un_lzma}, {"lzma", "\135\0\0", 3, un_lzma},
    {"lz4", "\002\041\114\030", 4, un_lz4},
    {"zstd", "\050\265\057\375", 4, un_zstd}, {"bzip2", "BZh", 3, NULL},
    {"lzo", "\211LZO", 4, NULL}};

static const struct format *
find(const uint8_t *p, size_t len)
{
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
		if (len > formats[i].len &&
		    memcmp(p, formats[i].magic, formats[i].len) == 0)
			return &formats[i];
	return NULL;
}

bool
unpack_knows(const uint8_t *p, size_t len)
{
	return find(p, len) != NULL;
}

bool
unpack(const uint8_t *p, size_t len, struct buf *to, struct buf *err)
{
	const struct format *f = find(p, len);
	bool ok = false;

	if (f == NULL || f->undo == NULL)
		buf_printf(err,
		    "a kernel compressed with %s, which kst cannot "
		    "decompress",
		    f ? f->name : "an unknown method");
	else if (!(ok = f->undo(p, len, to)) && to->len <= IMAGE_MAX)
		buf_printf(
		    err, "a damaged kernel, compressed with %s", f->name);
	if (to->len > IMAGE_MAX)
		buf_printf(
		    err, "a kernel of more than %d MiB", IMAGE_MAX >> 20);
	return ok && to->len <= IMAGE_MAX;
}
