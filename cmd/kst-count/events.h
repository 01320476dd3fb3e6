/* SPDX-License-Identifier: ISC */
/* Writes the records of --trace as event text, kst-events(5). */
#ifndef EVENTS_H
#define EVENTS_H

#include <stdbool.h>

struct elfsym;
struct opt_list;
struct options;
struct trace_ask;

/*
 * Fills in the addresses of the functions of --only. Those of Linux' modules
 * are known later, if there are `modules`. Ends the command if a name has no
 * function, or if there are too many.
 */
void events_only(struct elfsym *s, const struct opt_list *only, bool modules,
    struct trace_ask *ask);

/* Makes the file that the plugin fills. Returns 0, or -1 after a message. */
int events_open(struct trace_ask *ask);

/*
 * Writes the event text to standard output, with names. Returns an exit status.
 */
int events_write(const struct options *o);

#endif
