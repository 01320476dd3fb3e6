/* SPDX-License-Identifier: ISC */
/*
 * Finds the frames of dt(4) itself at the leaf of a kernel stack, by the rules
 * in share/rules/openbsd-dt.rules. On some machines dt(4) omits a fixed number
 * of its frames, on others none; rules on names fit both.
 */
#ifndef OWN_H
#define OWN_H

#include <stddef.h>

struct buf;
struct piece;
struct rules;

/*
 * Adds the groups [CONTEXT] and [CONTEXT-ARCH]; arch NULL: of all machines.
 * Returns the exit status, after a message.
 */
int own_load(struct rules *rules, const char *context, const char *arch);

/*
 * How many of the n frames, leaf first, are the tracer's: the run that the
 * rules skip. If the rules skip the leaf and name an interrupt's entry, it is
 * all frames up to the first entry. *name is scratch.
 */
size_t own_count(struct rules *rules, const struct piece *frames, size_t n,
    struct buf *name);

#endif
