/* SPDX-License-Identifier: ISC */
/*
 * The distinct stacks of calls, as a tree of spans by where each call began,
 * not where it was called. A call that is not wanted belongs to its caller.
 */
#ifndef SPANS_H
#define SPANS_H

#include <stdio.h>

#include "trace/record.h"

/* The root of the tree; number 0 stands for none. */
enum { SPANS_NONE = 1 };

/* Private: beyond these, a call is its caller's. */
enum { SPANS_MAX = 1 << 23 };

/* `in`: only what is below the function that begins there; 0: all. */
void spans_init(const struct trace_ask *ask, uint64_t in);

/* Further functions of --only, and that of --in, unless it is 0. */
void spans_add(const uint64_t *only, uint32_t n, uint64_t in);

/*
 * A call, or an exception's handler, that begins at an address. Returns its
 * number or, if it is not wanted, its parent's.
 */
uint32_t spans_child(uint32_t parent, enum span_kind kind, uint64_t addr);

uint32_t spans_parent(uint32_t span);

/* Whether --in or --only names the function that begins there. */
bool spans_named(uint64_t addr);

/* Whether it is a span of its own on that parent, and begins there. */
bool spans_begins(uint32_t span, uint32_t parent, uint64_t addr);

/*
 * The kernel was found to have moved: addresses are from now on what `to` makes
 * of them.
 */
void spans_move(uint64_t (*to)(uint64_t addr));

/*
 * A span on `from` as one on `to`, of the same kind and address, or `to` if it
 * was not wanted.
 */
uint32_t spans_on(uint32_t span, uint32_t from, uint32_t to);

/* How many spans are open in it, with itself. */
uint32_t spans_depth(uint32_t span);

/*
 * Writes all spans, and says how many they are and how many calls were beyond
 * the limit.
 */
void spans_write(struct trace_head *h, FILE *f);

#endif
