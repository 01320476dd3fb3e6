/* SPDX-License-Identifier: ISC */
/* Private to the room: images without headers of an ELF file. */
#ifndef KST_FLAT_H
#define KST_FLAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ksyms;
struct view;

/* The machine of an image without headers; EM_NONE: it is not one. */
unsigned flat_machine(const uint8_t *p, size_t len);

/*
 * Gives an image a segment and sections, and the symbols their addresses.
 * Returns false when it has no symbols, or nothing tells where it belongs.
 */
bool flat_read(struct view *v, struct ksyms *k);

#endif
