/* SPDX-License-Identifier: ISC */
#include "capture.h"

#include <stdlib.h>
#include <string.h>

#include "unit.h"

/* The median of v and a larger value, so that the maximum does not hide it. */
static uint64_t
shown(uint64_t v)
{
	struct stats *s = calloc(1, sizeof *s);
	uint64_t median;

	stats_add(s, v);
	stats_add(s, v * 4 + 1000);
	median = stats_quantile(s, 0.5);
	free(s);
	return median;
}

int
main(void)
{
	static const uint64_t exact[] = {0, 1, 63, 64, 100, 126, 127};
	char text[24];

	for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
		CHECK(shown(exact[i]) == exact[i]);
	for (uint64_t v = 128; v < (uint64_t)1 << 50; v += v / 7) {
		uint64_t error = shown(v) > v ? shown(v) - v : v - shown(v);

		CHECK(error * 64 <= v);
	}
	CHECK(strcmp(stats_duration(587000, text), "587 us") == 0);
	CHECK(strcmp(stats_duration(999400000, text), "999 ms") == 0);
	CHECK(strcmp(stats_duration(999700000, text), "1 s") == 0);
	return unit_end();
}
