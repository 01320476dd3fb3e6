/* SPDX-License-Identifier: ISC */
/*
 * The profile that Asterinas' `cargo osdk profile` keeps as JSON:
 *
 *	{"stack_traces":[{"CPU":["leaf","caller",...],...},...]}
 *
 * Keys are CPU numbers, in any order; other fields beside stack_traces are
 * ignored.
 */
#ifndef OSDK_H
#define OSDK_H

#include <stdbool.h>

struct capture;
struct cpus;
struct json;

/*
 * Reads a document; calls `put` with each capture as soon as it is complete
 * and sorted. Returns false when the JSON is wrong from json_offset() on.
 */
bool osdk_read(struct json *j, struct capture *c, struct cpus *cpus,
    void (*put)(void *arg, struct capture *c), void *arg);

#endif
