/* SPDX-License-Identifier: ISC */
/* Private to the room: steps without tables. */
#ifndef KST_GUESS_H
#define KST_GUESS_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/walk.h"

walk_stage stage_frames; /* frame pointers; of arm the code */
walk_stage stage_code;	 /* the code of a function without */

/*
 * Whether frame pointers, from that of a CPU up to an exception's entry, lead
 * to a caller that its stack lacks. The caller may be missing between two of
 * the stack's frames, or after its end, unless a rule, table or code proves
 * that end. What frame pointers do not lead through proves nothing.
 */
bool walk_frames_differ(struct walk *w, uint64_t fp);

#endif
