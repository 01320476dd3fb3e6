/* SPDX-License-Identifier: ISC */
/*
 * An open file goes to another process over a pair of sockets, with some bytes:
 * to one that has no right to open it.
 */
#ifndef KST_PASS_H
#define KST_PASS_H

#include <stdbool.h>
#include <stddef.h>

/* Sends `n` bytes, at least one, and the file unless it is -1. */
bool pass_send(int to, const void *bytes, size_t n, int file);

/*
 * Waits for as many bytes. Sets *file to the file that came with them, or to
 * -1: none came, or there are too many open files. The caller owns it.
 */
bool pass_receive(int from, void *bytes, size_t n, int *file);

#endif
