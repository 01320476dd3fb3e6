/* SPDX-License-Identifier: ISC */
/* A capture that ends in a panic. */
#ifndef PANIC_H
#define PANIC_H

#include <stdbool.h>

#include "base/buf.h"

struct plan;

/*
 * Whether the last stacks are in a panic, with a line that says how to see what
 * led there: then that is what matters.
 */
bool panic_find(const struct plan *p, struct buf *lines);

#endif
