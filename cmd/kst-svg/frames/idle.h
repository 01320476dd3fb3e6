/* SPDX-License-Identifier: ISC */
/* Finds the stacks of idle CPUs, by the functions in which they end. */
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
 * Makes a tree in which stacks that end in functions with is_idle[number of the
 * name] are below a frame of their own, left of the others, in each frame of
 * idle_depth(). The tree shares the names. *own, which the caller frees, says
 * for each node whether it is such a frame; that has the root's name. NULL if
 * the idle stacks are less than `least`, 0 to 1, of all, or are all. Only first
 * counts are looked at.
 */
struct tree *idle_apart(
    const struct tree *t, const bool *is_idle, double least, bool **own);

#endif
