/* SPDX-License-Identifier: ISC */
/* Interrupts that take much of what runs. */
#ifndef IRQ_H
#define IRQ_H

#include <stdbool.h>

struct buf;
struct plan;

/*
 * Adds a line, with the command that counts them, if a large part of what runs
 * are interrupts, or faults, of the kernel itself. Returns whether it did.
 */
bool irq_find(const struct plan *p, struct buf *b);

#endif
