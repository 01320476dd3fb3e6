/* SPDX-License-Identifier: ISC */
/*
 * The profile that Asterinas' `cargo osdk profile` keeps as JSON:
 *
 *	{"stack_traces":[{"CPU":["leaf","caller",...],...},...]}
 *
 * and the one of DragonOS' `dadk profile sample --format json`, with
 * milliseconds since 1970:
 *
 *	{"samples":[{"data":{"CPU":["leaf",...],...},"id":0,"timestamp":1},...]}
 *
 * Keys are CPU numbers, in any order; other fields are ignored.
 */
#ifndef OSDK_H
#define OSDK_H

struct in;

/*
 * Writes the document in the file as trace text: a signs_reader for a struct
 * capture.
 */
const char *osdk_read(void *capture, struct in *in);

#endif
