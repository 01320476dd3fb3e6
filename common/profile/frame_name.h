/* SPDX-License-Identifier: ISC */
/* Private to the room: the names of frames of trace text. */
#ifndef KST_FRAME_NAME_H
#define KST_FRAME_NAME_H

#include <stdbool.h>
#include <stdint.h>

struct fold;

/*
 * For trace_fold.c: the table's name of the current frame, which stays in
 * f->scratch, and the address that it begins with, or 0.
 */
uint32_t fold_frame_name(struct fold *f);

/*
 * Beyond a kernel's entry gdb goes on into saved registers, which differ each
 * time. Takes the frames without a name off the root side, if any other frame
 * has a name. Returns whether it did.
 */
bool fold_trim_nameless(struct fold *f);
uint64_t fold_address(const struct fold *f);

#endif
