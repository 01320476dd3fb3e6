/* SPDX-License-Identifier: ISC */
/* Private to the plugin: stacks that no return leads to. */
#ifndef IDLE_H
#define IDLE_H

#include <stdbool.h>

#include "plugin/shadow.h"

/*
 * The exception returns to where none was seen: a task or a program begins, or
 * the child of a fork, on the callers of the parent where these are known.
 */
void shadow_begin(struct flow_cpu *c, const struct shadow *parent, bool lost);

/*
 * What frames were left without a return is known: they go, and those that do
 * not stand on them go to the stack that they stand on. `idle`: the code that
 * was interrupted may be a scheduler's, which jumps lead to.
 */
void idle_settle(struct flow_cpu *c, bool idle);

/* Such code begins, after a jump: the stack that was left stands as it is. */
void idle_enter(struct flow_cpu *c);

#endif
