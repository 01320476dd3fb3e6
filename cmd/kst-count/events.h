/* SPDX-License-Identifier: ISC */
/* From the records of --trace to event text, kst-events(5). */
#ifndef EVENTS_H
#define EVENTS_H

struct elfsym;
struct opt_list;
struct options;
struct trace_ask;

/*
 * Fills the addresses of the functions of --only. Ends the command if there is
 * none of such a name, or if they are too many.
 */
void events_only(
    struct elfsym *s, const struct opt_list *only, struct trace_ask *ask);

/* Makes the file that the plugin fills. Returns 0, or -1 after a message. */
int events_open(struct trace_ask *ask);

/* Writes it to standard output, with names. Returns an exit status. */
int events_write(const struct options *o);

#endif
