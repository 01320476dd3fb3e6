/* SPDX-License-Identifier: ISC */
/* Private to the room: programs that stacks come to, and processes. */
#ifndef PROGRAMS_H
#define PROGRAMS_H

#include <stdbool.h>
#include <stdint.h>

struct sampler;
struct vcpu;

/*
 * For unwind_settings, with the sampler as arg: puts the program to use that a
 * stack of a stopped CPU has come to.
 */
bool programs_find(void *s, uint64_t addr);

/*
 * Finds the process of a stopped CPU in user mode, before its stack is unwound.
 */
void programs_process(struct sampler *s, struct vcpu *c);

/*
 * Whether a thread of Linux that is not on a CPU has a process, whose memory is
 * then read through s->view where that is the thread `c`.
 */
bool programs_thread(struct sampler *s, uint64_t task, struct vcpu *c);

#endif
