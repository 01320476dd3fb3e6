/* SPDX-License-Identifier: ISC */
#include "text/cpus.h"

#include "base/buf.h"
#include "unit.h"

static struct buf err;

static void
check_set(const char *text, const char *want)
{
	struct cpus c = {0};
	struct buf b = BUF_INIT;

	CHECK(cpus_option(&c, text, &err) == 0);
	CHECK(cpus_missing(&c, &b) == (*want != 0));
	CHECK_TEXT(buf_str(&b), b.len, want);
	buf_done(&b);
}

static void
check_wrong(const char *text)
{
	struct cpus c = {0};

	CHECK(cpus_option(&c, text, &err) == -1);
}

int
main(void)
{
	struct cpus c = {0};
	struct buf b = BUF_INIT;

	check_set("all", "");
	check_set("0x3", "0-1");
	check_set("0x0", "");
	check_set("0x100000000000000000000000000000001", "0,128");
	check_set("3", "3");
	check_set("0-3,8", "0-3,8");
	check_set("63-64", "63-64");
	check_set("0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32",
	    "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,...");
	check_wrong("");
	check_wrong("0x");
	check_wrong("0xg");
	check_wrong("1,");
	check_wrong(",1");
	check_wrong("3-1");
	check_wrong("-1");
	check_wrong("65536");
	check_wrong("18446744073709551617");
	check_wrong("ALL");
	CHECK(cpus_option(&c, "0-2,70", &err) == 0);
	CHECK(cpus_has(&c, 0) && cpus_has(&c, 70));
	CHECK(!cpus_has(&c, 3) && !cpus_has(&c, 4000000000u));
	CHECK(cpus_missing(&c, &b));
	CHECK_TEXT(b.p, b.len, "1-2");
	c = (struct cpus){0};
	CHECK(cpus_has(&c, 12345));
	CHECK(cpus_mask_option(&c, "+5", &err) == 0);
	CHECK(cpus_has(&c, 0) && !cpus_has(&c, 1) && cpus_has(&c, 2));
	CHECK(cpus_mask_option(&c, "", &err) == -1);
	CHECK(cpus_mask_option(&c, "0x5", &err) == -1);
	CHECK(cpus_mask_option(
		  &c, "340282366920938463463374607431768211456", &err) == -1);
	buf_done(&b);
	buf_done(&err);
	return unit_end();
}
