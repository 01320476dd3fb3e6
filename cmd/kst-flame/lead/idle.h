/* SPDX-License-Identifier: ISC */
/* A guest that waits for most of the time. */
#ifndef IDLE_H
#define IDLE_H

#include <stdbool.h>

#include "base/buf.h"

struct plan;

/* Whether kst-capture finds this kernel's threads: its first line says so. */
bool idle_knows_threads(const struct plan *p);

/*
 * Whether the guest worked and then was idle up to the end, as when its job has
 * ended, with a line.
 */
bool idle_ended(const struct plan *p, struct buf *lines);

/* How idle CPUs are, in percent, and what shows what threads wait for. */
void idle_add(const struct plan *p, double share, struct buf *lines);

#endif
