/* SPDX-License-Identifier: ISC */
/* What gdb prints for a sample. */
#ifndef GDB_TEXT_H
#define GDB_TEXT_H

#include "base/buf.h"

/*
 * Completes the text of one `thread apply all bt`, printed under a backtrace
 * limit of `frames_max`: a stack that has reached the limit is followed by a
 * line `Backtrace stopped:`, the last line by LF. Returns the number of
 * stacks.
 */
unsigned gdb_text_finish(struct buf *text, int frames_max);

#endif
