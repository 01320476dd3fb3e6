/* SPDX-License-Identifier: ISC */
/* How a count ended: what the plugin says of it, for the user. */
#ifndef END_H
#define END_H

#include <stdbool.h>

#include "base/buf.h"

struct options;

/*
 * Takes the plugin's lines about the end off the file, which stays whole, to
 * *lines. Of a file without them *lines stays empty. Returns 0, or -1 after a
 * message.
 */
int end_take(int file, struct buf *lines);

/*
 * Says why the count ended, how much it was, and on which stack each CPU was;
 * `names` is as the lines, but named. `asked`: by a signal. Returns EXIT_OK, or
 * EXIT_FAILED if the range that was asked for never came.
 */
int end_say(const struct options *o, const struct buf *lines,
    const struct buf *names, bool asked);

#endif
