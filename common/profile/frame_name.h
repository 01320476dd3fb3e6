/* SPDX-License-Identifier: ISC */
/* Private to the room: the names of frames of trace text. */
#ifndef KST_FRAME_NAME_H
#define KST_FRAME_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct fold;

/*
 * For trace_fold.c: the table's name of the current frame, which stays in
 * f->scratch, and the address that it begins with, or 0.
 */
uint32_t fold_frame_name(struct fold *f);

/* Frees what is known of names. */
void fold_names_done(struct fold *f);

/* With `plain`: the table's name for one that may be the linker's. */
uint32_t fold_plain(struct fold *f, const char *p, size_t len);

/*
 * Beyond a kernel's entry gdb goes on into saved registers, which differ each
 * time. Takes the frames without a name off the root side, if any other frame
 * has a name. Returns whether it did.
 */
bool fold_trim_nameless(struct fold *f);
uint64_t fold_address(const struct fold *f);

#endif
