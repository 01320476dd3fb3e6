/* SPDX-License-Identifier: ISC */
/* Private to the room: unpacks the formats that kernels are packed with. */
#ifndef KST_UNPACK_H
#define KST_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

/* Limit of a file, and of what is packed in it, in bytes. */
enum { IMAGE_MAX = 512 << 20 };

/* Whether the bytes begin like a format that unpack() can name. */
bool unpack_knows(const uint8_t *p, size_t len);

/*
 * Unpacks gzip, xz, lzma, lz4 (its legacy format) or zstd, and appends the
 * result to *to. Bytes after the packed data are ignored. Returns false with
 * the reason in *err.
 */
bool unpack(const uint8_t *p, size_t len, struct buf *to, struct buf *err);

#endif
