/* SPDX-License-Identifier: ISC */
#include <string.h>

#include "opt/opt.h"

enum { NEAR_MAX = 32 };

static size_t
least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * The letters that are missing, too many, wrong, or have changed places with
 * the next: the optimal string alignment distance.
 */
static size_t
distance(const char *a, size_t n, const char *b, size_t m)
{
	size_t d[NEAR_MAX + 1][NEAR_MAX + 1];

	for (size_t i = 0; i <= n; i++)
		for (size_t k = 0; k <= m; k++) {
			if (i == 0 || k == 0) {
				d[i][k] = i + k;
				continue;
			}
			d[i][k] = least(least(d[i - 1][k], d[i][k - 1]) + 1,
			    d[i - 1][k - 1] + (a[i - 1] != b[k - 1]));
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] &&
			    a[i - 2] == b[k - 1])
				d[i][k] = least(d[i][k], d[i - 2][k - 2] + 1);
		}
	return d[n][m];
}

bool
opt_near(const char *word, size_t len, const char *name)
{
	size_t n = strlen(name);

	return len <= NEAR_MAX && n <= NEAR_MAX &&
	       distance(word, len, name, n) <= (n + 1) / 3;
}
