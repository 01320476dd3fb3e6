/* SPDX-License-Identifier: ISC */
/*
 * What `bpftrace -f json` prints: a document a line,
 *
 *	{"type": "map", "data": {"@": {"\n    f+1\n    g+2\n": 3}}}
 */
#include "gather.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/xalloc.h"

bool
json_is_line(const char *line, size_t len)
{
	return bytes_starts(line, len, "{\"type\":");
}

/* Adds the counts of a histogram's rows. */
static void
sum_rows(const json_t *rows, struct line_value *v)
{
	const json_t *row;
	size_t i;

	json_array_foreach(rows, i, row)
	{
		json_int_t n =
		    json_integer_value(json_object_get(row, "count"));

		v->negative |= n < 0;
		if (__builtin_add_overflow(v->total, (uint64_t)n, &v->total))
			v->kind = LINE_BAD;
	}
}

static uint64_t
number(const json_t *j, struct line_value *v)
{
	json_int_t n = json_integer_value(j);

	if (!json_is_integer(j))
		v->kind = LINE_BAD;
	v->negative |= n < 0;
	return (uint64_t)n;
}

/* A number, the object of stats(), or a histogram. */
static struct line_value
value(const json_t *j)
{
	struct line_value v = {.kind = LINE_NUMBER};

	if (json_is_object(j)) {
		v.kind = LINE_STATS;
		v.count = number(json_object_get(j, "count"), &v);
		v.average = number(json_object_get(j, "average"), &v);
		v.total = number(json_object_get(j, "total"), &v);
	} else if (json_is_array(j)) {
		sum_rows(j, &v);
	} else {
		v.total = number(j, &v);
	}
	return v;
}

static void
take_entry(struct gather *g, const char *map, const char *key, const json_t *j)
{
	struct line_value v = value(j);
	size_t len = strlen(key);
	uint64_t weight;

	if (len > 0 && memchr(key, '\n', len) == NULL) {
		g->n.entries++;
		return;
	}
	buf_adds(&g->map, map);
	g->indented = true;
	if (line_weight(&v, g->value, &weight) != 0)
		gather_fault(g, GATHER_BAD_VALUE, map, strlen(map));
	else
		gather_give(g, len ? key : "\n", len ? len : 1, weight);
	gather_reset(g);
}

static void
take_maps(struct gather *g, json_t *data)
{
	const char *map, *key;
	json_t *entries, *j;

	json_object_foreach(data, map, entries)
	    json_object_foreach(entries, key, j) take_entry(g, map, key, j);
}

static void
take_text(struct gather *g, const char *text)
{
	while (text && *text) {
		size_t len = strcspn(text, "\n");

		if (!json_is_line(text, len)) /* no document in a document */
			gather_text(g, text, len);
		text += len + (text[len] == '\n');
	}
}

void
formats_json(struct gather *g, const char *line, size_t len)
{
	const char *type;
	json_t *root, *data;

	/* jansson takes a lack of memory for damage, or crashes of it */
	json_set_alloc_funcs(xmalloc, free);
	root = json_loadb(line, len, 0, NULL);
	type = json_string_value(json_object_get(root, "type"));
	data = json_object_get(root, "data");
	if (type == NULL)
		gather_fault(g, GATHER_BAD_JSON, NULL, 0);
	else if (strcmp(type, "printf") == 0)
		take_text(g, json_string_value(data));
	else if (strcmp(type, "lost_events") == 0)
		g->n.lost += (uint64_t)json_integer_value(
		    json_object_get(data, "events"));
	else
		take_maps(g, data);
	json_decref(root);
}
