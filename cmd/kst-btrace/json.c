/* SPDX-License-Identifier: ISC */
#include "json.h"

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
put_maps(json_t *data, const struct json_to *to, void *arg)
{
	const char *map, *key;
	json_t *entries, *j;

	json_object_foreach(data, map, entries)
	{
		json_object_foreach(entries, key, j)
		{
			struct line_value v = value(j);

			to->entry(arg, map, key, strlen(key), &v);
		}
	}
}

static void
put_text(const char *text, const struct json_to *to, void *arg)
{
	while (text && *text) {
		size_t len = strcspn(text, "\n");

		to->text(arg, text, len);
		text += len + (text[len] == '\n');
	}
}

bool
json_line(const char *line, size_t len, const struct json_to *to, void *arg)
{
	const char *type;
	json_t *root, *data;

	/* jansson takes a lack of memory for damage, or crashes of it */
	json_set_alloc_funcs(xmalloc, free);
	root = json_loadb(line, len, 0, NULL);
	type = json_string_value(json_object_get(root, "type"));
	data = json_object_get(root, "data");
	if (type == NULL) {
		json_decref(root);
		return false;
	}
	if (strcmp(type, "printf") == 0)
		put_text(json_string_value(data), to, arg);
	else if (strcmp(type, "lost_events") == 0)
		to->lost(arg, (uint64_t)json_integer_value(
				  json_object_get(data, "events")));
	else
		put_maps(data, to, arg);
	json_decref(root);
	return true;
}
