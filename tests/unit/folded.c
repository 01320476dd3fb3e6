/* SPDX-License-Identifier: ISC */
#include "text/folded.h"

#include "base/buf.h"
#include "unit.h"

static enum folded_kind
parse(const char *s, struct folded_line *f)
{
	return folded_parse(s, strlen(s), f);
}

static void
test_lines(void)
{
	struct folded_line f;

	CHECK(parse("a;b 3", &f) == FOLDED_STACK);
	CHECK_TEXT(f.stack, f.len, "a;b");
	CHECK(f.n_counts == 1 && f.count[0].whole == 3 && f.count[0].frac == 0);
	CHECK(parse("a;b  3\t 4 \r", &f) == FOLDED_STACK);
	CHECK_TEXT(f.stack, f.len, "a;b");
	CHECK(
	    f.n_counts == 2 && f.count[0].whole == 3 && f.count[1].whole == 4);
	CHECK(parse("thread 7 5", &f) == FOLDED_STACK);
	CHECK_TEXT(f.stack, f.len_if_one, "thread 7");
	CHECK(parse("a 1.25", &f) == FOLDED_STACK);
	CHECK(f.count[0].whole == 1 && f.count[0].frac == 250000000000000000u);
	CHECK(parse("7", &f) == FOLDED_STACK && f.len == 0);
	CHECK(parse("7 8", &f) == FOLDED_STACK && f.n_counts == 1);
	CHECK_TEXT(f.stack, f.len, "7");
	CHECK(parse("# a 3", &f) == FOLDED_BLANK);
	CHECK(parse(" \t\r", &f) == FOLDED_BLANK);
	CHECK(parse("", &f) == FOLDED_BLANK);
	CHECK(parse("a;b", &f) == FOLDED_BAD);
	CHECK(parse("a -3", &f) == FOLDED_BAD);
	CHECK(parse("a 18446744073709551615", &f) == FOLDED_STACK);
	CHECK(parse("a 18446744073709551616", &f) == FOLDED_BAD);
	CHECK(parse("a 6.", &f) == FOLDED_STACK && f.count[0].whole == 6);
	CHECK(parse("a .", &f) == FOLDED_BAD);
	CHECK(parse("a 1.2.3", &f) == FOLDED_BAD);
}

static void
test_counts(void)
{
	struct count a = {1, 999999999999999999u}, one = {0, 1};
	struct count max = {UINT64_MAX, 0}, unit = {1, 0};
	char text[40];

	CHECK(count_add(&a, &one) == 0 && a.whole == 2 && a.frac == 0);
	CHECK(count_add(&max, &unit) == -1 && max.whole == UINT64_MAX);
	a.frac = 50000000000000000u;
	CHECK_TEXT(text, count_text(&a, text), "2.05");
	CHECK_TEXT(text, count_text(&max, text), "18446744073709551615");
}

static void
test_names(void)
{
	struct buf b = BUF_INIT;

	folded_add_name(&b, " a;b\tc\x01 ", 8);
	CHECK_TEXT(b.p, b.len, "a:b c?");
	b.len = 0;
	folded_add_name(&b, "", 0);
	CHECK_TEXT(b.p, b.len, "??");
	buf_done(&b);
}

int
main(void)
{
	test_lines();
	test_counts();
	test_names();
	return unit_end();
}
