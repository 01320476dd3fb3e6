/* SPDX-License-Identifier: ISC */
/*
 * Makes an ELF file with symbols of the Linux kernel's file that boots: a
 * bzImage, an Image of arm64, riscv64 or loongarch64, packed or in an EFI
 * zboot, or a vmlinux without symbols; or of a list of symbols, such as
 * System.map or /proc/kallsyms. A packed ELF file with symbols is unpacked. The
 * addresses are those that the file was linked for, so a kernel that moves
 * itself when it starts has others.
 */
#ifndef KST_KIMAGE_H
#define KST_KIMAGE_H

#include <stdbool.h>

struct buf;

/* Whether a file begins like an ELF file, an image, or something packed. */
bool kimage_knows(int fd);

/*
 * Returns the descriptor of an ELF file in memory, of 64 bits and little
 * endian unless it was only unpacked. Its machine is EM_NONE if the input does
 * not tell it, and it has no code if the input is a list. Returns -1 on
 * failure: the reason is in *err, which stays empty if the file is not of this
 * kind.
 */
int kimage_open(int fd, struct buf *err);

#endif
