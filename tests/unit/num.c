/* SPDX-License-Identifier: ISC */
#include "base/num.h"

#include "unit.h"

static void
check_num(int (*parse)(const char *, size_t, uint64_t *), const char *text,
    uint64_t want)
{
	uint64_t v = 0;

	CHECK(parse(text, strlen(text), &v) == 0);
	CHECK(v == want);
}

static void
check_wrong(int (*parse)(const char *, size_t, uint64_t *), const char *text)
{
	uint64_t v = 7;

	CHECK(parse(text, strlen(text), &v) == -1);
	CHECK(v == 7);
}

static void
check_duration(void)
{
	uint64_t v = 0;

	CHECK(num_duration("7", 1, 1000, &v) == 0 && v == 7000);
	CHECK(num_duration("100ms", 5, 1, &v) == 0 && v == 100000000);
	CHECK(num_duration("1.5us", 5, 1, &v) == 0 && v == 1500);
	CHECK(num_duration(".5h", 3, 1, &v) == 0 && v == 1800000000000);
	CHECK(num_duration("18446744073709551615ns", 22, 1, &v) == 0 &&
	      v == UINT64_MAX);
	CHECK(num_duration("18446744073710s", 15, 1, &v) == -1);
	CHECK(num_duration("1763827200.25", 13, 1000000000, &v) == 0 &&
	      v == 1763827200250000000);
	CHECK(num_duration("18446744073.8s", 14, 1, &v) == -1);
	CHECK(num_duration("999999999.5h", 12, 1, &v) == -1);
	CHECK(num_duration("ms", 2, 1, &v) == -1);
	CHECK(num_duration("1e3", 3, 1, &v) == -1);
	CHECK(num_duration("1 s", 3, 1, &v) == -1);
	CHECK(num_duration("", 0, 1, &v) == -1);
}

static void
check_decimal(void)
{
	uint64_t whole, frac;

	CHECK(num_decimal("12.", 3, &whole, &frac) == 0);
	CHECK(whole == 12 && frac == 0);
	CHECK(num_decimal(".5", 2, &whole, &frac) == 0);
	CHECK(whole == 0 && frac == NUM_FRAC_ONE / 2);
	CHECK(num_decimal("18446744073709551615.0000000000000000019", 40,
		  &whole, &frac) == 0);
	CHECK(whole == UINT64_MAX && frac == 1);
	CHECK(num_decimal("18446744073709551616.5", 22, &whole, &frac) == -1);
	CHECK(num_decimal(".", 1, &whole, &frac) == -1);
	CHECK(num_decimal("", 0, &whole, &frac) == -1);
	CHECK(num_decimal("1.2.3", 5, &whole, &frac) == -1);
	CHECK(num_decimal("-1", 2, &whole, &frac) == -1);
}

static void
check_real(void)
{
	double v = 0;

	CHECK(num_real("0.1%", 3, &v) == 0 && v == (double)0.1);
	CHECK(num_real(".5", 2, &v) == 0 && v == 0.5);
	CHECK(num_real("12.", 3, &v) == 0 && v == 12);
	CHECK(num_real("1200", 4, &v) == 0 && v == 1200);
	CHECK(num_real(".", 1, &v) == -1);
	CHECK(num_real("", 0, &v) == -1);
	CHECK(num_real("1.2.3", 5, &v) == -1);
	CHECK(num_real("1e3", 3, &v) == -1);
	CHECK(num_real("-1", 2, &v) == -1);
	CHECK(num_real("0.1234567890123456", 18, &v) == -1);
}

int
main(void)
{
	check_num(num_u64, "18446744073709551615", UINT64_MAX);
	check_wrong(num_u64, "18446744073709551616");
	check_wrong(num_u64, "");
	check_wrong(num_u64, "+1");
	check_num(num_hex, "fF", 255);
	check_wrong(num_hex, "0x1");
	check_wrong(num_hex, "10000000000000000");
	check_num(num_address, "10", 10);
	check_num(num_address, "0x10", 16);
	check_wrong(num_address, "0x");
	check_wrong(num_address, "ff");
	check_num(num_size, "0", 0);
	check_num(num_size, "3k", 3072);
	check_num(num_size, "2T", (uint64_t)2 << 40);
	check_wrong(num_size, "16777216T");
	check_wrong(num_size, "k");
	check_wrong(num_size, "");
	check_wrong(num_size, "3K");
	check_num(num_seconds, "999999999", 999999999000000000);
	check_num(num_seconds, "0.1", 100000000);
	check_num(num_seconds, ".0000000019", 1);
	check_wrong(num_seconds, "1000000000");
	check_wrong(num_seconds, ".");
	check_wrong(num_seconds, "");
	check_wrong(num_seconds, "1.5s");
	check_duration();
	check_decimal();
	check_real();
	return unit_end();
}
