/* SPDX-License-Identifier: ISC */
/* Private to the room: reads the symbols that a Linux kernel contains. */
#ifndef KST_KALLSYMS_H
#define KST_KALLSYMS_H

#include <stddef.h>
#include <stdint.h>

struct ksyms;

/*
 * Decodes the kallsyms table of an unpacked, little-endian kernel of 64 bits,
 * in the layout of any Linux from 5.0 to 7.2. k->from says what the addresses
 * count from. KSYMS_IMAGE: from the lowest symbol, whose address only a
 * relocation has. KSYMS_TABLE: from the beginning of the image. Without such a
 * table, *k stays empty.
 */
void kallsyms_read(const uint8_t *p, size_t len, struct ksyms *k);

#endif
