/* SPDX-License-Identifier: ISC */
#include "formats.h"

#include <string.h>

#include "json.h"

void
formats_bcc(struct gather *g, const char *line, size_t len)
{
	uint64_t weight;
	enum bcc_line kind = bcc_line(&g->bcc, line, len, &weight);

	if (kind == BCC_STACK)
		gather_give(g, g->bcc.key.p, g->bcc.key.len, weight);
	else if (kind == BCC_OTHER && !gather_took_message(g, line, len))
		g->n.others++;
}

static void
json_entry(void *arg, const char *map, const char *key, size_t len,
    const struct line_value *v)
{
	struct gather *g = arg;
	uint64_t weight;

	if (len > 0 && memchr(key, '\n', len) == NULL) {
		g->n.entries++;
		return;
	}
	buf_adds(&g->map, map);
	g->indented = true;
	if (line_weight(v, g->value, &weight) != 0)
		gather_fault(g, GATHER_BAD_VALUE, map, strlen(map));
	else
		gather_give(g, len ? key : "\n", len ? len : 1, weight);
	gather_reset(g);
}

static void
json_printf(void *arg, const char *line, size_t len)
{
	if (!json_is_line(line, len)) /* a document in a document: none */
		gather_text(arg, line, len);
}

static void
json_lost(void *arg, uint64_t n)
{
	struct gather *g = arg;

	g->n.lost += n;
}

void
formats_json(struct gather *g, const char *line, size_t len)
{
	static const struct json_to to = {json_entry, json_printf, json_lost};

	if (!json_line(line, len, &to, g))
		gather_fault(g, GATHER_BAD_JSON, NULL, 0);
}

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

void
formats_hist(struct gather *g, const char *line, size_t len)
{
	const char *p = line;
	size_t n = line_trim(&p, len);
	uint64_t count;

	if (n == 0 && g->hist_rows == 0)
		return;
	if (line_bucket(p, n, &count)) {
		g->hist_rows++;
		if (__builtin_add_overflow(g->hist_sum, count, &g->hist_sum)) {
			g->hist_sum = UINT64_MAX;
			gather_fault(g, GATHER_BAD_VALUE, p, n);
		}
		return;
	}
	if (gather_took_message(g, p, n))
		return;
	formats_hist_end(g);
	gather_text(g, line, len);
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
