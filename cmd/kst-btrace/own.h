/* SPDX-License-Identifier: ISC */
/*
 * The frames of dt(4) itself at the leaf of a kernel stack, by the rules in
 * share/rules/openbsd-dt.rules. On some machines dt(4) omits a fixed number of
 * its frames, on others none; rules on names fit both.
 */
#ifndef OWN_H
#define OWN_H

#include <stddef.h>

struct own_frames;
struct span;

/*
 * Loads the groups [CONTEXT] and [CONTEXT-ARCH]; arch NULL: of all machines.
 * Returns NULL after a message; *bad_name tells that the file has no such
 * context or machine.
 */
struct own_frames *own_new(
    const char *context, const char *arch, int *bad_name);
void own_free(struct own_frames *o);

/*
 * How many of the n frames, leaf first, are the tracer's: the run that the
 * rules skip or, if they skip the leaf and name an interrupt's entry, all up to
 * the first entry.
 */
size_t own_count(struct own_frames *o, const struct span *frames, size_t n);

#endif
