/* SPDX-License-Identifier: ISC */
#include "text/events.h"

#include "base/buf.h"
#include "unit.h"

static enum event_line
parse(const char *s, struct event *e)
{
	return event_parse(s, strlen(s), e);
}

static void
test_lines(void)
{
	struct event e;

	CHECK(parse("12\tcpu 0\tB\tf\tx=1\ty\r", &e) == EVENT_OK);
	CHECK(e.time == 12 && e.kind == EVENT_BEGIN);
	CHECK_TEXT(e.track, e.track_len, "cpu 0");
	CHECK_TEXT(e.name, e.name_len, "f");
	CHECK_TEXT(e.args, e.args_len, "x=1\ty");
	CHECK(parse("18446744073709551615\tt\tE\tf", &e) == EVENT_OK);
	CHECK(e.time == UINT64_MAX && e.args == NULL && e.args_len == 0);
	CHECK(parse("12345678901234567\tt\tI\tf", &e) == EVENT_OK);
	CHECK(e.time == 12345678901234567u);
	CHECK(parse("", &e) == EVENT_BLANK && parse("# x", &e) == EVENT_BLANK);
	CHECK(parse("18446744073709551616\tt\tE\tf", &e) == EVENT_BAD);
	CHECK(parse("1\t\tE\tf", &e) == EVENT_BAD);
	CHECK(parse("1\tt\tE\t", &e) == EVENT_BAD);
	CHECK(parse("1\tt\tE\t\tx", &e) == EVENT_BAD);
	CHECK(parse("1\tt\tE", &e) == EVENT_BAD);
	CHECK(parse("1\tt\tX\tf", &e) == EVENT_BAD);
	CHECK(parse("1\tt\tBB\tf", &e) == EVENT_BAD);
	CHECK(parse("1", &e) == EVENT_BAD && parse("1\t", &e) == EVENT_BAD);
	CHECK(parse("-1\tt\tE\tf", &e) == EVENT_BAD);
}

static void
test_escapes(void)
{
	struct buf b = BUF_INIT, back = BUF_INIT;

	event_escape(&b, "a\\\t\n\r\x01\x7f", 7);
	CHECK_TEXT(b.p, b.len, "a\\\\\\t\\n\\r\\x01\\x7f");
	event_unescape(&back, b.p, b.len);
	CHECK_TEXT(back.p, back.len, "a\\\t\n\r\x01\x7f");
	b.len = back.len = 0;
	event_escape(&b, "", 0);
	CHECK_TEXT(b.p, b.len, "??");
	event_unescape(&back, "\\q\\x4\\", 6);
	CHECK_TEXT(back.p, back.len, "\\q\\x4\\");
	buf_done(&b);
	buf_done(&back);
}

/* ARGS made from the parts reads as these parts again. */
static void
there_and_back(struct event_args a, const char *want)
{
	struct buf b = BUF_INIT;
	struct event e = {.kind = EVENT_END};
	struct event_args got;

	event_add_args(&b, &a);
	CHECK_TEXT(b.p, b.len, want);
	e.args = b.len ? b.p : NULL;
	e.args_len = b.len;
	event_split_args(&e, &got);
	CHECK(got.repaired == a.repaired && got.mark == a.mark);
	buf_done(&b);
}

static void
test_args(void)
{
	there_and_back((struct event_args){false, EVENT_TEXT, "", 0}, "");
	there_and_back((struct event_args){true, EVENT_TEXT, "", 0}, "~");
	there_and_back((struct event_args){true, EVENT_TEXT, "x", 1}, "~ x");
	there_and_back((struct event_args){false, EVENT_VALUE, "3", 1}, "= 3");
	there_and_back((struct event_args){false, EVENT_VALUE, "", 0}, "= ");
	there_and_back(
	    (struct event_args){true, EVENT_ERROR, "ENOENT", 6}, "~ ! ENOENT");
	there_and_back(
	    (struct event_args){false, EVENT_TEXT, "~ x", 3}, "\\x7e x");
	there_and_back(
	    (struct event_args){false, EVENT_TEXT, "= x", 3}, "\\x3d x");
}

static void
test_numbers(void)
{
	char p[20];

	CHECK_TEXT(p, event_u64(p, 0), "0");
	CHECK_TEXT(p, event_u64(p, 9), "9");
	CHECK_TEXT(p, event_u64(p, 100), "100");
	CHECK_TEXT(p, event_u64(p, UINT64_MAX), "18446744073709551615");
}

int
main(void)
{
	test_lines();
	test_escapes();
	test_args();
	test_numbers();
	return unit_end();
}
