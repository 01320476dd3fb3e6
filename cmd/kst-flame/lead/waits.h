/* SPDX-License-Identifier: ISC */
/* What threads wait for, after --waiting. */
#ifndef WAITS_H
#define WAITS_H

#include "base/buf.h"

struct plan;

/* In which functions they are, most first, and what shows more, as text. */
void waits_find(const struct plan *p, struct buf *lines);

#endif
