/* SPDX-License-Identifier: ISC */
/*
 * What a capture says at first sight, with the command that answers the next
 * question: facts only, and silence where a command would not answer.
 */
#ifndef LEAD_H
#define LEAD_H

#include "base/buf.h"

struct plan;

/* Appends lines, each with a newline, while the capture is there. */
void lead_find(const struct plan *p, struct buf *lines);

#endif
