/* SPDX-License-Identifier: ISC */
/*
 * Makes an ELF file with symbols, of one of two inputs: (1) the file from which
 * the Linux kernel boots, a bzImage, a zImage of arm, an Image of arm64,
 * riscv64 or loongarch64, packed or in an EFI zboot, or a vmlinux without
 * symbols; (2) a list of symbols, such as System.map or /proc/kallsyms. A
 * packed ELF file with symbols is only unpacked. The addresses are those that
 * the file was linked for. A kernel that moves itself when it starts has other
 * ones in memory.
 */
#ifndef KST_KIMAGE_H
#define KST_KIMAGE_H

#include <stdbool.h>

struct buf;

/* Whether a file begins like an ELF file, an image, or something packed. */
bool kimage_knows(int fd);

/*
 * Returns the descriptor of an ELF file in memory. It is little-endian and of
 * 64 bits, also for arm of 32, unless it was only unpacked. Its machine is
 * EM_NONE if the input does not say it. It has no code if the input is a list.
 * Returns -1 on failure: the reason is in *err, which stays empty if the file
 * is not of this kind.
 */
int kimage_open(int fd, struct buf *err);

#endif
