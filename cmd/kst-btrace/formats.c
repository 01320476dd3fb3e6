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
