/* SPDX-License-Identifier: ISC */
/* Private to the room: the symbols that a kernel of Linux has in itself. */
#ifndef KST_KALLSYMS_H
#define KST_KALLSYMS_H

#include <stddef.h>
#include <stdint.h>

struct ksyms;

/*
 * Decodes the kallsyms of a little-endian kernel of 64 bits, unpacked, of any
 * layout from Linux 5.0 to 7.2. Addresses that are counted from the lowest
 * symbol, with that one's address left to a relocation, are KSYMS_IMAGE; those
 * counted from the table's place, KSYMS_TABLE, are offsets in the image. There
 * are no symbols when there is no such table.
 */
void kallsyms_read(const uint8_t *p, size_t len, struct ksyms *k);

#endif
