/* SPDX-License-Identifier: ISC */
/*
 * Where a function of x86_64 that has neither tables nor a frame pointer keeps
 * its return address: told by its code, which is followed along all branches
 * from its start to the place in question.
 */
#ifndef X86_FRAME_H
#define X86_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct urow;

/* Functions that are longer are not followed. */
enum { X86_FRAME_CODE = 64 << 10 };

/*
 * The state at `at` of the n bytes from a function's start. Returns false when
 * nothing leads there, or two ways that differ.
 */
bool x86_frame(const uint8_t *code, size_t n, size_t at, struct urow *row);

/*
 * Whether the n bytes of code at `addr` jump to `to`, or by a register to who
 * knows where.
 */
bool x86_frame_jumps(const uint8_t *code, size_t n, uint64_t addr, uint64_t to);

#endif
