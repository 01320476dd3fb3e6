/* SPDX-License-Identifier: ISC */
/* Gives stacks and counts faults; histograms, and the keys of DTrace. */
#include "gather.h"

#include "base/bytes.h"
#include "base/msg.h"
#include "io/fault.h"
#include "key.h"

void
gather_init(struct gather *g)
{
	buf_room(&g->map, 64); /* never NULL from here on */
	buf_room(&g->key, 1024);
	g->faults[GATHER_NO_VALUE].what = "stack without its `]: N`";
	g->faults[GATHER_BAD_VALUE].what = "value that is not a weight";
	g->faults[GATHER_BAD_JSON].what = "line of JSON that is damaged";
	g->faults[GATHER_TOO_LONG].what = "stack longer than 1 MiB";
}

void
gather_done(struct gather *g)
{
	buf_done(&g->map);
	buf_done(&g->key);
	buf_done(&g->names);
}

void
gather_fault(struct gather *g, enum gather_fault f, const char *p, size_t len)
{
	const char *what = g->faults[f].what;

	if (g->in == NULL)
		g->faults[f].n++;
	else if (len == 0)
		fault_say(&g->faults[f], g->in, "%s", what);
	else
		fault_say(
		    &g->faults[f], g->in, "%s: %s", what, msg_text(p, len));
}

void
gather_give(struct gather *g, const char *key, size_t len, uint64_t weight)
{
	struct raw_stack s = {.map = g->map.p,
	    .map_len = g->map.len,
	    .key = key,
	    .len = len,
	    .weight = weight};

	s.cut = g->map.len && !g->indented && key_may_be_cut(key, len);
	g->n.stacks++;
	g->n.cut += s.cut;
	g->stack(g->arg, &s);
}

void
gather_reset(struct gather *g)
{
	g->state = GATHER_TEXT;
	g->key.len = g->map.len = g->second = 0;
	g->mode_seen = 0;
	g->closed = g->too_long = g->indented = g->after_blank = false;
}

bool
gather_took_message(struct gather *g, const char *line, size_t len)
{
	uint64_t lost;

	if (!line_is_message(line, len, &lost))
		return false;
	g->n.messages++;
	g->n.lost += lost;
	return true;
}

/* Histograms and DTrace ---------------------------------------------------- */

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
	size_t n = bytes_trim(&line, len);
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
	len = bytes_trim(&line, len);
	for (size_t i = 0; i < len; i++) {
		bool gap = line[i] == ' ' && line[i + 1] == ' ';

		buf_addc(&g->names, gap ? ',' : line[i]);
		while (gap && line[i + 2] == ' ')
			i++;
	}
	buf_adds(&g->names, ", \n");
	return true;
}
