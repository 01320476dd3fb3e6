/* SPDX-License-Identifier: ISC */
/*
 * Each format's loop goes on until the packed data ends: what follows, such as
 * the size that a bzImage has there, is not looked at.
 */
#include "kimage/unpack.h"

#include <errno.h>
#include <lz4.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "base/buf.h"
#include "base/uint.h"
#include "base/xalloc.h"

enum {
	BLOCK = 256 << 10,
	LZ4_BLOCK = 8 << 20,   /* as the format has it */
	MEMORY_MAX = 256 << 20 /* of a decoder */
};

struct sink {
	int fd;
	size_t n;
	uint8_t block[BLOCK];
};

/* Damaged data, a full disk, or too much: all end the unpacking. */
static bool
put(struct sink *s, const void *p, size_t n)
{
	s->n += n;
	while (s->n <= UNPACK_MAX && n > 0) {
		const ssize_t k = write(s->fd, p, n);

		if (k < 0)
			return false;
		p = (const char *)p + k;
		n -= (size_t)k;
	}
	return n == 0;
}

static bool
un_gzip(const uint8_t *p, size_t len, struct sink *s)
{
	z_stream z = {
	    .next_in = (uint8_t *)(uintptr_t)p, .avail_in = (unsigned)len};
	int status = inflateInit2(&z, 16 + MAX_WBITS);

	while (status == Z_OK) {
		z.next_out = s->block;
		z.avail_out = BLOCK;
		status = inflate(&z, Z_NO_FLUSH);
		if (!put(s, s->block, BLOCK - z.avail_out))
			status = Z_BUF_ERROR;
	}
	inflateEnd(&z);
	return status == Z_STREAM_END;
}

static bool
un_lzma(const uint8_t *p, size_t len, struct sink *s)
{
	lzma_stream z = LZMA_STREAM_INIT;
	lzma_ret status = lzma_auto_decoder(&z, MEMORY_MAX, 0);

	z.next_in = p;
	z.avail_in = len;
	while (status == LZMA_OK) {
		z.next_out = s->block;
		z.avail_out = BLOCK;
		status = lzma_code(&z, LZMA_RUN);
		if (!put(s, s->block, BLOCK - z.avail_out))
			status = LZMA_BUF_ERROR;
	}
	lzma_end(&z);
	return status == LZMA_STREAM_END;
}

static bool
un_zstd(const uint8_t *p, size_t len, struct sink *s)
{
	ZSTD_DCtx *z = ZSTD_createDCtx();
	ZSTD_inBuffer in = {p, len, 0};
	size_t left = 1;

	while (z != NULL && left != 0) {
		ZSTD_outBuffer to = {s->block, BLOCK, 0};
		const size_t before = in.pos;

		left = ZSTD_decompressStream(z, &to, &in);
		if (ZSTD_isError(left) || !put(s, to.dst, to.pos) ||
		    (in.pos == before && to.pos == 0))
			break;
	}
	ZSTD_freeDCtx(z);
	return left == 0;
}

/* Blocks with their packed sizes; the last one is not a full one. */
static bool
un_lz4(const uint8_t *p, size_t len, struct sink *s)
{
	char *to = xmalloc(LZ4_BLOCK);
	size_t at = 4;
	int n = LZ4_BLOCK;

	while (n == LZ4_BLOCK && len - at >= 4) {
		const uint64_t packed = uint_load(p + at, 4, false);

		at += 4;
		if (packed > len - at || packed > LZ4_COMPRESSBOUND(LZ4_BLOCK))
			break;
		n = LZ4_decompress_safe(
		    (const char *)p + at, to, (int)packed, LZ4_BLOCK);
		at += packed;
		if (n < 0 || !put(s, to, (size_t)n))
			n = -1;
	}
	free(to);
	return n >= 0 && s->n > 0;
}

static const struct format {
	const char *name, *magic;
	size_t len;
	bool (*undo)(const uint8_t *p, size_t len, struct sink *s);
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

int
unpack(const uint8_t *p, size_t len, int fd, struct buf *err)
{
	const struct format *f = find(p, len);
	struct sink *s;
	bool ok;

	if (f == NULL || f->undo == NULL) {
		buf_printf(err,
		    "a kernel packed with %s, which kst does not "
		    "unpack",
		    f ? f->name : "something unknown");
		return -1;
	}
	s = xmalloc(sizeof *s);
	s->fd = fd;
	s->n = 0;
	errno = 0;
	ok = f->undo(p, len, s);
	if (s->n > UNPACK_MAX)
		buf_printf(
		    err, "a kernel of more than %d MiB", UNPACK_MAX >> 20);
	else if (!ok)
		buf_printf(
		    err, "a kernel packed with %s, which is damaged", f->name);
	free(s);
	return ok ? 0 : -1;
}
