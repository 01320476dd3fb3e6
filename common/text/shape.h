/* SPDX-License-Identifier: ISC */
/* Which of the two shapes of text a file has: trace text or folded text. */
#ifndef KST_SHAPE_H
#define KST_SHAPE_H

#include "base/in.h"

enum shape { SHAPE_AUTO, SHAPE_TRACE, SHAPE_FOLDED };

/* The same, for a row of opt.h. */
#define SHAPE_WORDS "auto trace folded"

/*
 * Looks at the unread lines of the current file, without taking them, until
 * one tells: a frame, a thread header or a mark of ours makes trace text, a
 * line `a;b 3` folded text. Reads no further than 64 KiB ahead. A file in
 * which only lines `a 3` were found is folded, one with neither is trace
 * text. To be called when a file begins.
 */
enum shape shape_detect(struct in *in);

/* Tells the user when a file of trace text, which is not empty, had no stack.
 */
void shape_say_none(const char *name, uint64_t stacks);

/* `trace`, `folded` or `auto`: for an option. Ends the command otherwise. */
enum shape shape_option(const char *name, const char *value);

#endif
