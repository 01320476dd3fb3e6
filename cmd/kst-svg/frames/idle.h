/* SPDX-License-Identifier: ISC */
/* Stacks of idle CPUs, told by where they end. */
#ifndef IDLE_H
#define IDLE_H

#include <stdbool.h>
#include <stdint.h>

struct tree;

/*
 * The depth of the frames below which all is of one CPU: 1 if what stands on
 * the root is CPUs and nothing else, or 0.
 */
uint32_t idle_depth(const struct tree *t);

/*
 * A tree in which what ends in functions with is_idle[number of the name]
 * stands on a frame of its own, left of the rest, of each frame of
 * idle_depth(). It shares the names; *own, which the caller frees, says of each
 * node whether it is such a frame, which has the root's name. NULL if that is
 * less than `least`, 0 to 1, of all, or all. Only first counts are looked at.
 */
struct tree *idle_apart(
    const struct tree *t, const bool *is_idle, double least, bool **own);

#endif
