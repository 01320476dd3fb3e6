/* SPDX-License-Identifier: ISC */
/* What gdb prints for a sample. */
#ifndef GDB_TEXT_H
#define GDB_TEXT_H

struct sample;

/*
 * Completes the text of one `thread apply all bt`, printed under a backtrace
 * limit of `frames_max`: a stack that has reached the limit is followed by a
 * line `Backtrace stopped:`, the last line by LF. Counts the stacks.
 */
void gdb_text_finish(struct sample *s, int frames_max);

#endif
