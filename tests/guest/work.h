/* SPDX-License-Identifier: ISC */
/*
 * What each CPU does for ever, and for which part of the time: see README.md.
 */
#ifndef WORK_H
#define WORK_H

#include "cpu.h"

/* No inlining, cloning or propagation: each of these is a frame. */
#define FRAME __attribute__((noipa))

/* `id` shifts the cycles of the CPUs against each other. */
FRAME void busy(u32 id);
FRAME void busy_irq(u32 id);
FRAME void half(u32 id);
FRAME void deep(u32 id);

/* With USER_MODE, what CPUs 0 and 1 do: see user/process.c. */
FRAME void user_work(u32 id);

#endif
