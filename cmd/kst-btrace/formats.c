/* SPDX-License-Identifier: ISC */
/* Histograms, and the keys that DTrace prints before a stack. */
#include "gather.h"

#include "base/bytes.h"

void
formats_hist_end(struct gather *g)
{
	if (g->map.len) {
		if (g->hist_rows)
			gather_give(g, g->key.p, g->key.len, g->hist_sum);
		else
			gather_fault(g, GATHER_NO_VALUE, NULL, 0);
	}
	gather_reset(g);
}

bool
formats_hist(struct gather *g, const char *line, size_t len)
{
	size_t n = line_trim(&line, len);
	uint64_t count;

	if (n == 0 && g->hist_rows == 0)
		return true;
	if (!line_bucket(line, n, &count))
		return gather_took_message(g, line, n);
	g->hist_rows++;
	if (__builtin_add_overflow(g->hist_sum, count, &g->hist_sum)) {
		g->hist_sum = UINT64_MAX;
		gather_fault(g, GATHER_BAD_VALUE, line, n);
	}
	return true;
}

bool
formats_dtrace(struct gather *g, const char *line, size_t len)
{
	if (g->key.len || len < 3 || line[0] != ' ' || line[1] != ' ' ||
	    line[2] == ' ')
		return false;
	len = line_trim(&line, len);
	for (size_t i = 0; i < len; i++) {
		bool gap = line[i] == ' ' && line[i + 1] == ' ';

		buf_addc(&g->names, gap ? ',' : line[i]);
		while (gap && line[i + 2] == ' ')
			i++;
	}
	buf_adds(&g->names, ", \n");
	return true;
}
