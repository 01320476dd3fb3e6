/* SPDX-License-Identifier: ISC */
/* Private to the room: unpacks what a kernel is packed in. */
#ifndef KST_UNPACK_H
#define KST_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

/* Bytes of a file, and of what is packed in it. */
enum { IMAGE_MAX = 512 << 20 };

/* Whether the bytes begin as one of the formats that unpack() knows by name. */
bool unpack_knows(const uint8_t *p, size_t len);

/*
 * Unpacks gzip, xz, lzma, lz4 (the kernel's old kind) or zstd, up to the end of
 * the packed data, and appends it to *to. Returns false with the reason in
 * *err.
 */
bool unpack(const uint8_t *p, size_t len, struct buf *to, struct buf *err);

#endif
