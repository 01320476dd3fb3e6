/* SPDX-License-Identifier: ISC */
/* Gives stacks and counts faults; histograms, and the keys of DTrace. */
#include "give.h"
#include "keys/key.h"
#include "gather.h"

#include <string.h>

#include "base/bytes.h"
#include "base/msg.h"
#include "base/num.h"
#include "io/fault.h"

void
gather_init(struct gather *g)
{
	buf_room(&g->key, 1024); /* never NULL from here on */
	g->stacks = folding_new(g->o);
	g->faults[GATHER_NO_VALUE].what = "stack without its `]: N`";
	g->faults[GATHER_BAD_VALUE].what = "value that is not a weight";
	g->faults[GATHER_BAD_JSON].what = "line of JSON that is damaged";
	g->faults[GATHER_TOO_LONG].what = "stack longer than 1 MiB";
	g->faults[GATHER_OVERFLOW].what = "sum that exceeds 64 bits";
}

void
gather_done(struct gather *g)
{
	folding_free(g->stacks);
	buf_done(&g->key);
	buf_done(&g->names);
}

void
gather_fault(struct gather *g, enum gather_fault f, const char *p, size_t len)
{
	const char *what = g->faults[f].what;

	if (len == 0)
		fault_say(&g->faults[f], g->in, "%s", what);
	else
		fault_say(
		    &g->faults[f], g->in, "%s: %s", what, msg_text(p, len));
}

static bool
map_wanted(const struct options *o, const char *map, size_t len)
{
	size_t at = len > 0; /* a stream has no name */

	for (size_t i = 0; i < o->maps.n; i++) {
		const char *m = o->maps.use[i].arg;

		if (bytes_is(map + at, len - at, m + (*m == '@')))
			return true;
	}
	return o->maps.n == 0;
}

void
gather_give(struct gather *g, size_t len, uint64_t weight)
{
	const struct piece text = {g->key.p, len};
	size_t map = g->map_len;
	bool cut =
	    map && !g->indented && key_may_be_cut(text.p + map, len - map);

	g->n.stacks++;
	g->n.cut += cut;
	if (!map_wanted(g->o, text.p, map ? map - 1 : 0))
		g->n.other_maps++;
	else if (folding_add(g->stacks, text, map, cut, weight) != 0)
		gather_fault(g, GATHER_OVERFLOW, NULL, 0);
}

void
gather_reset(struct gather *g)
{
	g->state = GATHER_TEXT;
	g->key.len = g->map_len = g->second = 0;
	g->mode_seen = 0;
	g->weighed = 0;
	g->closed = g->too_long = g->indented = g->dtrace = g->keys = false;
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
	if (g->map_len) {
		if (g->hist_rows)
			gather_give(g, g->key.len, g->hist_sum);
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

/* Samples without frames --------------------------------------------------- */

void
formats_gap(struct gather *g)
{
	struct gap *gap = &g->gap;
	uint64_t least = gap->inside ? 2 : 1;
	uint64_t more = gap->lines > least ? gap->lines - least : 0;

	gap->old |= gap->inside && gap->single && gap->tight && more == 0;
	gap->odd |= more % 2 == 1;
	gap->more += more;
	gap->threes += more / 3;
	gap->tight = more == 0;
	gap->inside = true;
}

void
formats_gap_break(struct gather *g)
{
	struct gap *gap = &g->gap;

	if (gap->inside && gap->lines > 1)
		gap->threes += (gap->lines - 1) / 3;
	gap->inside = false;
	gap->lines = 0;
}

void
formats_gap_end(struct gather *g)
{
	struct gap *gap = &g->gap;
	uint64_t n;

	formats_gap_break(g);
	n = gap->pairs ? (gap->old ? gap->more : gap->threes)
		       : gap->more / (gap->odd ? 1 : 2);
	if (n > 0 && g->ends_twice) {
		gather_key(g, "\n", 1);
		gather_give(g, g->key.len, n);
		gather_reset(g);
	}
	*gap = (struct gap){0};
}

/* Keys of DTrace ----------------------------------------------------------- */

/* Appends columns that two blanks or more divide; returns the last one. */
static struct piece
add_columns(struct buf *b, const char *line, size_t len)
{
	struct piece col;

	for (;;) {
		const char *gap = memmem(line, len, "  ", 2);

		col.p = line;
		col.len = gap ? (size_t)(gap - line) : len;
		buf_add(b, col.p, col.len);
		if (gap == NULL)
			return col;
		buf_adds(b, ", ");
		line += col.len;
		len = bytes_trim(&line, len - col.len);
	}
}

bool
formats_dtrace_keys(struct gather *g, const char *line, size_t len)
{
	size_t last = len, before = g->key.len;
	struct piece col;

	while (last > 0 && line[last - 1] != ' ')
		last--;
	if (before + 2 * len > KEY_MAX ||
	    (g->closed && !line_is_number(line + last, len - last)))
		return false;
	buf_adds(&g->key, ", ");
	col = add_columns(&g->key, line, len);
	if (num_u64(col.p, col.len, &g->weight) == 0) {
		g->weighed = g->key.len - col.len - 2;
		g->keys_last |= g->weighed > before;
	} else if (line_is_number(col.p, col.len)) { /* below 0 */
		g->key.len = before;
		return false;
	}
	g->keys = true;
	g->closed = false;
	return true;
}

bool
formats_dtrace(struct gather *g, const char *line, size_t len, char after)
{
	if (g->key.len || len < 3 || line[0] != ' ' || line[1] != ' ' ||
	    line[2] == ' ')
		return false;
	len = bytes_trim(&line, len);
	if (after == 'b' && g->keys_last) {
		gather_key(g, "\n", 1);
		g->dtrace = g->indented = true;
		return formats_dtrace_keys(g, line, len);
	}
	add_columns(&g->names, line, len);
	buf_adds(&g->names, ", \n");
	return true;
}
