/* SPDX-License-Identifier: ISC */
/* The names of frames, as they are shown. */
#ifndef NAME_H
#define NAME_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/*
 * Makes a frame's name, in which FRAME_SEMICOLON may stand for a `;`, the one
 * that is shown, in *b where that is another text. Returns whether names that
 * differ in the input may be the same now.
 */
bool frame_text(const char **p, size_t *len, struct buf *b);

/* Whether that would leave the name as it is. */
bool frame_is_plain(const char *p, size_t len);

#endif
