/* SPDX-License-Identifier: ISC */
/* bpftrace's JSON. */
#ifndef JSON_H
#define JSON_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct gather;

/* Reads a line of JSON, and appends the text that it stands for. */
bool json_is_line(const char *line, size_t len);
void formats_json(
    struct gather *g, const char *line, size_t len, struct buf *text);

#endif
