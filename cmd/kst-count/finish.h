/* SPDX-License-Identifier: ISC */
/* Turns what the plugin has written into named, folded text. */
#ifndef FINISH_H
#define FINISH_H

#include <stdbool.h>

struct live;
struct options;

/*
 * Names the addresses in the plugin's file and folds it to standard output, by
 * the commands in this command's folder, and says how the count ended. *file
 * becomes another one. `live` has QEMU's command line. at_line: the guest was
 * idle after the line of --until. Sets o->moved. Returns the worst exit status.
 */
int finish(struct options *o, int *file, const struct live *live, bool at_line);

/*
 * Returns 0, or an exit status after a message if the file of --output cannot
 * be replaced.
 */
int finish_check(const struct options *o);

#endif
