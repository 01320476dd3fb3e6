/* SPDX-License-Identifier: ISC */
/*
 * What `bpftrace -f json` prints: a document a line,
 *
 *	{"type": "map", "data": {"@": {"\n    f+1\n    g+2\n": 3}}}
 */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lines.h"

/* What a line holds, passed on with the first argument of json_line(). */
struct json_to {
	/* An entry of a map; text and name are valid during the call. */
	void (*entry)(void *arg, const char *map, const char *key, size_t len,
	    const struct line_value *v);
	/* A line of a printf. */
	void (*text)(void *arg, const char *line, size_t len);
	void (*lost)(void *arg, uint64_t n);
};

bool json_is_line(const char *line, size_t len);

/* Returns false if the line is not such a document. */
bool json_line(
    const char *line, size_t len, const struct json_to *to, void *arg);

#endif
