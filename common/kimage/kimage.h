/* SPDX-License-Identifier: ISC */
/*
 * Linux as it boots, or a list of its symbols, as an ELF file with symbols: a
 * bzImage, an Image of arm64, riscv64 or loongarch64, packed or in an EFI
 * zboot, a vmlinux without symbols; System.map, /proc/kallsyms. What is known
 * of the addresses is what the image says: a kernel that was moved when it
 * started is elsewhere.
 */
#ifndef KST_KIMAGE_H
#define KST_KIMAGE_H

#include <stdbool.h>

struct buf;

/* Whether a file begins as an ELF file, an image, or something packed. */
bool kimage_knows(int fd);

/*
 * Returns the descriptor of an ELF file in memory, of 64 bits, little endian.
 * Its machine is EM_NONE if that is not known; a list has no code. -1: with the
 * reason in *err, or nothing of this kind.
 */
int kimage_open(int fd, struct buf *err);

#endif
