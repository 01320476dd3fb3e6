/* SPDX-License-Identifier: ISC */
/* Private to the room: what kernels are packed with, undone. */
#ifndef KST_UNPACK_H
#define KST_UNPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

/* The most that is unpacked, and that is read of a file. */
enum { UNPACK_MAX = 512 << 20 };

/* Whether the bytes begin as one of the formats that unpack() knows by name. */
bool unpack_knows(const uint8_t *p, size_t len);

/*
 * Unpacks gzip, xz, lzma, lz4 (the kernel's old kind) or zstd, up to the end of
 * the packed data, and writes it to the descriptor. Returns -1 with the reason
 * in *err.
 */
int unpack(const uint8_t *p, size_t len, int fd, struct buf *err);

#endif
