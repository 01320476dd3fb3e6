/* SPDX-License-Identifier: ISC */
/* Names of frames as the picture shows them. */
#ifndef NAME_H
#define NAME_H

#include <stdbool.h>
#include <stddef.h>

struct buf;

/*
 * Makes the name that is shown of a frame's name, in which FRAME_SEMICOLON may
 * stand for a `;`. If it is another text, it is in *b. Returns whether names
 * that differ in the input may have become equal.
 */
bool frame_text(const char **p, size_t *len, struct buf *b);

/* Whether frame_name() would leave the name unchanged. */
bool frame_is_plain(const char *p, size_t len);

/* Whether it can be a function's name: no address, CPU, piece of time or note.
 */
bool frame_is_named(const char *p, size_t len);

#endif
