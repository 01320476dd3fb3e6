/* SPDX-License-Identifier: ISC */
/* What kernels are packed with, as libraries pack it, also damaged. */
#include "kimage/unpack.h"

#include <lz4.h>
#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include "base/buf.h"
#include "unit.h"

enum { SIZE = 300000, ROOM = 400000, BLOCK = 8 << 20 };

static uint8_t plain[SIZE], packed[ROOM];

static void
make_plain(void)
{
	uint32_t v = 1;

	for (size_t i = 0; i < SIZE; i++) {
		v = v * 1103515245 + 12345;
		plain[i] = i % 7 ? (uint8_t)(v >> 16) : 0;
	}
}

/* Packs all of it; returns the size. */
static size_t
pack(const char *how)
{
	size_t n = 0;

	if (strcmp(how, "gzip") == 0) {
		z_stream z = {.next_in = plain,
		    .avail_in = SIZE,
		    .next_out = packed,
		    .avail_out = ROOM};

		deflateInit2(&z, 1, Z_DEFLATED, 16 + MAX_WBITS, 8, 0);
		CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END);
		n = z.total_out;
		deflateEnd(&z);
	} else if (strcmp(how, "xz") == 0) {
		CHECK(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, plain,
			  SIZE, packed, &n, ROOM) == LZMA_OK);
	} else if (strcmp(how, "lzma") == 0) {
		lzma_options_lzma o;
		lzma_stream z = LZMA_STREAM_INIT;

		lzma_lzma_preset(&o, 0);
		CHECK(lzma_alone_encoder(&z, &o) == LZMA_OK);
		z.next_in = plain, z.avail_in = SIZE;
		z.next_out = packed, z.avail_out = ROOM;
		CHECK(lzma_code(&z, LZMA_FINISH) == LZMA_STREAM_END);
		n = z.total_out;
		lzma_end(&z);
	} else {
		ZSTD_CCtx *z = ZSTD_createCCtx();

		ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
		n = ZSTD_compress2(z, packed, ROOM, plain, SIZE);
		ZSTD_freeCCtx(z);
	}
	return n;
}

/* Whether n bytes unpack to all, with an error's text where they do not. */
static bool
unpacks(const uint8_t *p, size_t n, const char *why)
{
	struct buf to = BUF_INIT, err = BUF_INIT;
	const bool ok = unpack(p, n, &to, &err);

	CHECK_TEXT(err.p, err.len, why);
	CHECK(!ok || (to.len == SIZE && memcmp(to.p, plain, SIZE) == 0));
	buf_done(&to);
	buf_done(&err);
	return ok;
}

static void
test_formats(void)
{
	static const char *const how[] = {"gzip", "xz", "lzma", "zstd"};
	char why[64];

	for (int i = 0; i < 4; i++) {
		size_t n = pack(how[i]);

		CHECK(unpack_knows(packed, n));
		CHECK(unpacks(packed, n, ""));
		memset(packed + n, 0xa5, 100); /* as a size behind it */
		CHECK(unpacks(packed, n + 100, ""));
		snprintf(why, sizeof why,
		    "a damaged kernel, compressed with %s", how[i]);
		CHECK(!unpacks(packed, n / 2, why));
		memset(packed + 100, 0xa5, 100);
		memset(packed + 1000, 0x5a, 100);
		CHECK(!unpacks(packed, n, why));
	}
	CHECK(!unpacks((const uint8_t *)"BZh9....", 8,
	    "a kernel compressed with bzip2, which kst cannot decompress"));
	CHECK(!unpacks((const uint8_t *)"\211LZO....", 8,
	    "a kernel compressed with lzo, which kst cannot decompress"));
	CHECK(!unpacks((const uint8_t *)"nothing", 7,
	    "a kernel compressed with an unknown method, which kst cannot "
	    "decompress"));
	CHECK(!unpack_knows((const uint8_t *)"BZh", 3));
	CHECK(unpack_knows((const uint8_t *)"BZh9", 4));
}

/* A block of lz4 that is n literals, so larger than it is unpacked. */
static void
add_block(struct buf *b, uint8_t value, size_t n)
{
	const size_t at = b->len;
	size_t rest = n - 15, size;

	buf_add(b, "\0\0\0\0\xf0", 5);
	for (; rest >= 255; rest -= 255)
		buf_addc(b, (char)255);
	buf_addc(b, (char)rest);
	buf_room(b, n);
	memset(b->p + b->len, value, n);
	b->len += n;
	size = b->len - at - 4;
	for (int i = 0; i < 4; i++)
		b->p[at + (size_t)i] = (char)(size >> 8 * i);
}

static void
test_lz4(void)
{
	struct buf b = BUF_INIT, to = BUF_INIT, err = BUF_INIT;
	size_t first, n;

	buf_add(&b, "\002\041\114\030", 4);
	n = b.len;
	CHECK(!unpack((uint8_t *)b.p, 4, &to, &err)); /* no more than that */
	err.len = 0;
	add_block(&b, 1, BLOCK);
	first = b.len;
	CHECK(first - n > BLOCK + 4);
	add_block(&b, 2, 100);
	n = b.len;
	add_block(&b, 3, 100); /* after one that is not full: not its */
	CHECK(unpack((uint8_t *)b.p, b.len, &to, &err) && err.len == 0);
	CHECK(to.len == BLOCK + 100);
	CHECK(to.p[0] == 1 && to.p[BLOCK - 1] == 1);
	CHECK(to.p[BLOCK] == 2 && to.p[BLOCK + 99] == 2);
	to.len = 0;
	CHECK(unpack((uint8_t *)b.p, n, &to, &err) && to.len == BLOCK + 100);
	/* the size of all after a last full one is not a block */
	to.len = 0;
	memcpy(b.p + first, "\0\0\x80\0", 4);
	CHECK(unpack((uint8_t *)b.p, first + 4, &to, &err));
	CHECK(to.len == BLOCK);
	/* a last one of nothing, and one of a byte alone */
	to.len = 0;
	memcpy(b.p + first, "\1\0\0\0\0", 5);
	CHECK(unpack((uint8_t *)b.p, first + 5, &to, &err));
	CHECK(to.len == BLOCK);
	to.len = 0;
	CHECK(
	    unpack((const uint8_t *)"\2\41\114\30\2\0\0\0\20x", 10, &to, &err));
	CHECK(to.len == 1 && *to.p == 'x');
	/* a block that says more than it has */
	to.len = 0;
	b.p[8] = 0x0f;
	CHECK(!unpack((uint8_t *)b.p, n, &to, &err));
	CHECK_TEXT(err.p, err.len, "a damaged kernel, compressed with lz4");
	buf_done(&b);
	buf_done(&to);
	buf_done(&err);
}

int
main(void)
{
	make_plain();
	test_formats();
	test_lz4();
	return unit_end();
}
