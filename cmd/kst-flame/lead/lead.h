/* SPDX-License-Identifier: ISC */
/*
 * What a capture says at first sight, with the command that answers the next
 * question: facts only, and silence where a command would not answer.
 */
#ifndef LEAD_H
#define LEAD_H

#include <stdbool.h>

#include "base/buf.h"

struct plan;

/* Appends lines, each with a newline, while the capture is there. */
void lead_find(const struct plan *p, struct buf *lines);

/* Whether --waiting was given, and the capture has no threads that wait. */
bool lead_lacks_threads(const struct plan *p);

#endif
