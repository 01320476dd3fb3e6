/* SPDX-License-Identifier: ISC */
#include "rsp/rsppkt.h"

#include "unit.h"

static void
feed(struct rspin *in, const char *s)
{
	buf_add(&in->raw, s, strlen(s));
}

static void
test_frames(void)
{
	struct rspin in = {0};

	feed(&in, "+$OK#9a");
	CHECK(rspin_next(&in) == RSP_ACK);
	CHECK(rspin_next(&in) == RSP_PACKET);
	CHECK_TEXT(in.data, in.len, "OK");
	CHECK(rspin_next(&in) == RSP_MORE);
	feed(&in, "noise-$T02thread:p01.01;#03$");
	CHECK(rspin_next(&in) == RSP_NAK);
	CHECK(rspin_next(&in) == RSP_PACKET);
	CHECK_TEXT(in.data, in.len, "T02thread:p01.01;");
	CHECK(rspin_next(&in) == RSP_MORE);
	feed(&in, "#0");
	CHECK(rspin_next(&in) == RSP_MORE);
	feed(&in, "0+");
	CHECK(rspin_next(&in) == RSP_PACKET && in.len == 0);
	CHECK(rspin_next(&in) == RSP_ACK);
	feed(&in, "$OK#9b$OK#9A");
	CHECK(rspin_next(&in) == RSP_BAD);
	CHECK(rspin_next(&in) == RSP_PACKET);
	rspin_done(&in);
}

/* A byte at a time, as a slow stub may send. */
static void
test_drip(void)
{
	static const char text[] = "$mp01.01#cd";
	struct rspin in = {0};

	for (size_t i = 0; i + 1 < sizeof text; i++) {
		CHECK(rspin_next(&in) == RSP_MORE);
		buf_addc(&in.raw, text[i]);
	}
	CHECK(rspin_next(&in) == RSP_PACKET);
	CHECK_TEXT(in.data, in.len, "mp01.01");
	rspin_done(&in);
}

static enum rsp_kind
once(struct rspin *in, const char *data)
{
	static const char hex[] = "0123456789abcdef";
	uint8_t s = 0;

	for (size_t i = 0; data[i] != 0; i++)
		s = (uint8_t)(s + (uint8_t)data[i]);
	in->raw.len = in->pos = 0;
	buf_addc(&in->raw, '$');
	feed(in, data);
	buf_addc(&in->raw, '#');
	buf_addc(&in->raw, hex[s >> 4]);
	buf_addc(&in->raw, hex[s & 15]);
	return rspin_next(in);
}

static void
test_escapes(void)
{
	struct rspin in = {0};

	CHECK(once(&in, "0* ") == RSP_PACKET);
	CHECK_TEXT(in.data, in.len, "0000");
	CHECK(once(&in, "a}\x03}]b*!") == RSP_PACKET);
	CHECK_TEXT(in.data, in.len, "a#}bbbbb");
	CHECK(once(&in, "*!") == RSP_BAD);
	CHECK(once(&in, "0*") == RSP_BAD);
	CHECK(once(&in, "0*\x1d") == RSP_BAD);
	CHECK(once(&in, "0}") == RSP_BAD);
	rspin_done(&in);
}

static void
test_put(void)
{
	struct buf b = BUF_INIT;

	rsp_put(&b, "vCont;c");
	rsp_put(&b, "g");
	CHECK_TEXT(b.p, b.len, "$vCont;c#a8$g#67");
	buf_done(&b);
}

static void
test_long(void)
{
	struct rspin in = {0};
	enum rsp_kind k = RSP_MORE;

	feed(&in, "$");
	for (int i = 0; i < 3 << 10 && k == RSP_MORE; i++) {
		for (int n = 0; n < 1024; n++)
			buf_addc(&in.raw, 'x');
		k = rspin_next(&in);
	}
	CHECK(k == RSP_BAD);
	rspin_done(&in);
}

static void
test_unhex(void)
{
	uint8_t b[3];

	CHECK(rsp_unhex(b, "00fFa9", 3) == 0);
	CHECK(b[0] == 0 && b[1] == 0xff && b[2] == 0xa9);
	CHECK(rsp_unhex(b, "0x", 1) == -1);
}

int
main(void)
{
	test_frames();
	test_drip();
	test_escapes();
	test_put();
	test_long();
	test_unhex();
	return unit_end();
}
