/* SPDX-License-Identifier: ISC */
/* Bytes that one process hands to another by a pipe. */
#ifndef PASS_H
#define PASS_H

#include <stddef.h>
#include <stdint.h>

/*
 * Writes n bytes. Returns 0, or -1 with errno. They may be of a file that is
 * mapped and damaged: a page that the disk does not give reads as zeros and is
 * told, but write() of it fails, so they are copied first.
 */
int pass_bytes(int fd, const void *p, uint64_t n);

/* Reads n bytes. Returns how many there were, or -1 with errno. */
int64_t pass_take(int fd, void *p, size_t n);

/* Copies the rest of a pipe to a file. Returns 0, or -1 with errno. */
int pass_rest(int pipe, int file);

#endif
