/* SPDX-License-Identifier: ISC */
/* Which of the two shapes of text a file has: trace text or folded text. */
#ifndef KST_SHAPE_H
#define KST_SHAPE_H

#include "base/in.h"

enum shape { SHAPE_AUTO, SHAPE_TRACE, SHAPE_FOLDED };

/* The same, for a row of opt.h. */
#define SHAPE_WORDS "auto trace folded"

/*
 * Looks at the unread lines of the current file without taking them, at most
 * 64 KiB. A frame, a thread header or a mark of ours makes trace text; else
 * the file is folded text if most lines are `a;b 3` (which counts twice) or
 * `a 3`, and trace text if not. Eight lines `a;b 3` and no other are enough. To
 * be called when a file begins.
 */
enum shape shape_detect(struct in *in);

#endif
