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

/* Adds the counts of a histogram's rows. */
static void
sum_rows(struct json rows, struct line_value *v)
{
	bool good;
	int64_t n;

	if (json_is_empty(&rows, '[', ']', &good))
		return;
	do {
		n = 0;
		json_integer(json_member(rows, "count"), &n);
		v->negative |= n < 0;
		if (__builtin_add_overflow(v->total, (uint64_t)n, &v->total))
			v->kind = LINE_BAD;
	} while (json_skip(&rows) && json_next(&rows, ']', &good));
}

static uint64_t
number(struct json j, struct line_value *v)
{
	int64_t n = 0;

	if (!json_integer(j, &n))
		v->kind = LINE_BAD;
	v->negative |= n < 0;
	return (uint64_t)n;
}

/* A number, the object of stats(), or a histogram. */
static struct line_value
value(struct json j)
{
	struct line_value v = {.kind = LINE_NUMBER};

	if (json_peek(&j) == '{') {
		v.kind = LINE_STATS;
		v.count = number(json_member(j, "count"), &v);
		v.average = number(json_member(j, "average"), &v);
		v.total = number(json_member(j, "total"), &v);
	} else if (json_peek(&j) == '[') {
		sum_rows(j, &v);
	} else {
		v.total = number(j, &v);
	}
	return v;
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
	struct line_value v;
	uint64_t weight;

	if (key->len > 0 && memchr(key->p, '\n', key->len) == NULL &&
	    !bytes_starts(key->p, key->len, ", ") &&
	    !bytes_ends(key->p, key->len, ", ")) {
		g->n.entries++;
		return;
	}
	v = value(*j);
	buf_add(&g->map, map->p, map->len);
	g->indented = true;
	if (line_weight(&v, g->value, &weight) != 0)
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
