/* SPDX-License-Identifier: ISC */
/*
 * What `bpftrace -f json` prints: a document a line,
 *
 *	{"type": "map", "data": {"@": {"\n    f+1\n    g+2\n": 3}}}
 */
#include "text/json.h"

#include <string.h>

#include "base/bytes.h"
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
	bool good;

	*weight = 0;
	if (json_peek(&j) == '{')
		j = json_member(j, names[which]);
	if (json_peek(&j) != '[') {
		good = json_integer(j, &n) && n >= 0;
		*weight = (uint64_t)n;
		return good;
	}
	if (json_is_empty(&j, '[', ']', &good))
		return true;
	do {
		if (!json_integer(json_member(j, "count"), &n) || n < 0 ||
		    __builtin_add_overflow(*weight, (uint64_t)n, weight))
			return false;
	} while (json_skip(&j) && json_next(&j, ']', &good));
	return true;
}

/*
 * Takes the next member's name. In a map's key, commas separate; in a stack,
 * one at the beginning of a line. They get the blank that they have in text.
 */
static bool
take_name(struct json *j, struct buf *name, struct buf *scratch)
{
	bool plain = true;

	scratch->len = name->len = 0;
	buf_room(name, 1);
	if (!json_string(j, scratch, SIZE_MAX))
		return false;
	for (size_t i = 0; i < scratch->len; i++) {
		char c = scratch->p[i];

		plain |= c == ',' && i > 0 && scratch->p[i - 1] == '\n';
		plain &= c != '\n';
		buf_addc(name, c);
		if (plain && c == ',')
			buf_addc(name, ' ');
	}
	return json_take(j, ':');
}

static void
take_entry(struct gather *g, const struct buf *map, const struct buf *key,
    const struct json *j)
{
	uint64_t weight;

	if (key->len > 0 && memchr(key->p, '\n', key->len) == NULL &&
	    !bytes_starts(key->p, key->len, ", ") &&
	    !bytes_ends(key->p, key->len, ", ")) {
		g->n.entries++;
		return;
	}
	buf_add(&g->map, map->p, map->len);
	g->indented = true;
	if (!take_weight(*j, g->value, &weight))
		gather_fault(g, GATHER_BAD_VALUE, map->p, map->len);
	else
		gather_give(g, key->len ? key->p : "\n",
		    key->len ? key->len : 1, weight);
	gather_reset(g);
}

static void
take_maps(struct gather *g, struct json j)
{
	struct buf map = BUF_INIT, key = BUF_INIT, scratch = BUF_INIT;
	struct json entries;
	bool good;

	if (json_is_empty(&j, '{', '}', &good))
		return;
	do {
		take_name(&j, &map, &scratch);
		entries = j;
		if (json_peek(&j) != '{' ||
		    json_is_empty(&entries, '{', '}', &good))
			continue;
		do {
			take_name(&entries, &key, &scratch);
			take_entry(g, &map, &key, &entries);
		} while (
		    json_skip(&entries) && json_next(&entries, '}', &good));
	} while (json_skip(&j) && json_next(&j, '}', &good));
	buf_done(&map);
	buf_done(&key);
	buf_done(&scratch);
}

bool
formats_json(struct gather *g, const char *line, size_t len, struct buf *text)
{
	struct json doc = json_of_text(line, len), whole = doc, type, data;
	struct buf word = BUF_INIT;
	int64_t lost = 0;

	text->len = 0;
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
		take_maps(g, data);
	}
	buf_done(&word);
	return text->len > 0;
}
