/* SPDX-License-Identifier: ISC */
/*
 * What `bpftrace -f json` prints: a document a line,
 *
 *	{"type": "map", "data": {"@": {"\n    f+1\n    g+2\n": 3}}}
 */
#include "json.h"

#include "text/json.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "give.h"
#include "gather.h"

bool
json_is_line(const char *line, size_t len)
{
	return bytes_starts(line, len, "{\"type\":");
}

/* The weight of a number, the object of stats(), or a histogram's rows. */
static bool
take_weight(struct json j, enum line_number which, uint64_t *weight)
{
	static const char *const names[] = {"total", "count", "average"};
	int64_t n = 0;

	*weight = 0;
	if (json_peek(&j) == '{')
		j = json_member(j, names[which]);
	if (json_peek(&j) != '[') {
		bool good = json_integer(j, &n) && n >= 0;

		*weight = (uint64_t)n;
		return good;
	}
	for (json_begin(&j, '['); json_item(&j, ']'); json_skip(&j))
		if (!json_integer(json_member(j, "count"), &n) || n < 0 ||
		    __builtin_add_overflow(*weight, (uint64_t)n, weight))
			return false;
	return true;
}

/*
 * Takes the next member's name and appends it. In a map's key, commas separate;
 * in a stack, one at the beginning of a line. They get the blank that they have
 * in text.
 */
static void
take_name(struct json *j, struct buf *text)
{
	struct buf name = BUF_INIT;
	const char *p, *comma, *nl, *line, *end;

	if (json_string(j, &name, SIZE_MAX))
		json_take(j, ':');
	line = p = buf_str(&name);
	end = p + name.len;
	while ((comma = memchr(p, ',', (size_t)(end - p))) != NULL) {
		nl = memrchr(p, '\n', (size_t)(comma - p));
		line = nl ? nl + 1 : line;
		buf_add(text, p, (size_t)(comma + 1 - p));
		if (line == name.p || *line == ',')
			buf_addc(text, ' ');
		p = comma + 1;
	}
	buf_add(text, p, (size_t)(end - p));
	buf_done(&name);
}

/* Appends a map's entries as bpftrace prints them without -f json. */
static void
add_entries(
    struct gather *g, struct json j, const struct buf *map, struct buf *text)
{
	uint64_t weight;

	for (json_begin(&j, '{'); json_item(&j, '}'); json_skip(&j)) {
		size_t begin = text->len;

		buf_add(text, map->p, map->len);
		buf_addc(text, '[');
		take_name(&j, text);
		if (take_weight(j, g->o->value, &weight)) {
			buf_printf(text, "]: %" PRIu64 "\n", weight);
			continue;
		}
		text->len = begin;
		gather_fault(g, GATHER_BAD_VALUE, map->p, map->len);
	}
}

static void
add_maps(struct gather *g, struct json j, struct buf *text)
{
	struct buf map = BUF_INIT;

	for (json_begin(&j, '{'); json_item(&j, '}'); json_skip(&j)) {
		map.len = 0;
		take_name(&j, &map);
		add_entries(g, j, &map, text);
	}
	buf_done(&map);
}

void
formats_json(struct gather *g, const char *line, size_t len, struct buf *text)
{
	struct json doc = json_of_text(line, len), whole = doc, type, data;
	struct buf word = BUF_INIT;
	int64_t lost = 0;

	type = json_member(doc, "type");
	data = json_member(doc, "data");
	if (!json_skip(&whole) || json_peek(&whole) >= 0 ||
	    !json_string(&type, &word, SIZE_MAX)) {
		gather_fault(g, GATHER_BAD_JSON, NULL, 0);
	} else if (bytes_is(word.p, word.len, "printf")) {
		json_string(&data, text, SIZE_MAX);
	} else if (bytes_is(word.p, word.len, "lost_events")) {
		json_integer(json_member(data, "events"), &lost);
		g->n.lost += (uint64_t)lost;
	} else {
		add_maps(g, data, text);
	}
	buf_done(&word);
}
