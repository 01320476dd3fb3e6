/* SPDX-License-Identifier: ISC */
#include "set/textsort.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "unit.h"

enum { TEXTS = 3000, BYTES = 40 };

/* Texts of few different bytes, NUL among them, and with long beginnings. */
static size_t
make(char *to, const char *last, size_t last_len)
{
	static const char bytes[] = {0, 'a', 'b', (char)0xff};
	size_t len = (size_t)rand() % (last_len + 1);

	if (rand() % 4 == 0)
		len = last_len;
	memcpy(to, last, len);
	for (int more = rand() % 4; more > 0 && len < BYTES; more--)
		to[len++] = bytes[rand() % 4];
	return len;
}

static void
check_order(size_t n)
{
	char(*bytes)[BYTES] = calloc(n + 1, sizeof *bytes);
	struct text *v = calloc(n + 1, sizeof *v);
	size_t sum = 0;

	for (size_t i = 0; i < n; i++) {
		size_t last = i ? (size_t)rand() % i : 0;

		v[i].p = bytes[i];
		v[i].len =
		    (uint32_t)make(bytes[i], bytes[last], i ? v[last].len : 0);
		v[i].id = (uint32_t)i;
	}
	textsort(v, n);
	for (size_t i = 0; i < n; i++) {
		sum += v[i].id;
		CHECK(v[i].p == bytes[v[i].id]);
		CHECK(i == 0 || bytes_cmp(v[i - 1].p, v[i - 1].len, v[i].p,
				    v[i].len) <= 0);
	}
	CHECK(sum == (n ? n * (n - 1) / 2 : 0));
	free(bytes);
	free(v);
}

int
main(void)
{
	for (size_t n = 0; n < 200; n++)
		check_order(n);
	for (int i = 0; i < 20; i++)
		check_order(TEXTS);
	return unit_end();
}
