/* SPDX-License-Identifier: ISC */
/*
 * Gives an open file to another process, which has no right to open the file
 * itself, over a pair of sockets. Some bytes go with it.
 */
#ifndef KST_PASS_H
#define KST_PASS_H

#include <stdbool.h>
#include <stddef.h>

/* Sends `n` bytes, at least one, and the file unless it is -1. */
bool pass_send(int to, const void *bytes, size_t n, int file);

/*
 * Waits for n bytes. *file becomes the file that came with them, which the
 * caller owns; -1 if none came or no descriptor is free. Returns false if fewer
 * bytes came.
 */
bool pass_receive(int from, void *bytes, size_t n, int *file);

#endif
