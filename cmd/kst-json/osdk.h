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

struct in;

/*
 * Writes the document in the file as trace text: a signs_reader for a struct
 * capture.
 */
const char *osdk_read(void *capture, struct in *in);

#endif
