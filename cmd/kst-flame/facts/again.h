/* SPDX-License-Identifier: ISC */
/* The words of a command that runs the guest once more, for a shell. */
#ifndef AGAIN_H
#define AGAIN_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct options;
struct plan;

/* The kernel's file, or KERNEL. */
const char *again_kernel(const struct plan *p);

/*
 * Adds ` -e KERNEL MORE -- COMMAND`, which follows a command that boots the
 * guest. One that is too long for a message, or not known, stays that word.
 */
void again_boot(const struct plan *p, const char *more, struct buf *b);

/*
 * The same after kst count: up to the line of --until, if its pattern is a
 * plain text, or an end as an option, such as "-n 1e9".
 */
void again_count(
    const struct plan *p, const char *more, const char *end, struct buf *b);

/*
 * Whether kst count and kst sym --compare know the processor of a kernel's
 * file: x86_64, i386, aarch64 or riscv. What is no ELF file, such as a vmlinuz,
 * is taken to be one.
 */
bool again_knows(const char *kernel);
bool again_counts(const struct plan *p);

/* Adds ` -e KERNEL`, and -r as it was given: the guest that runs. */
void again_guest(const struct plan *p, struct buf *b);

/*
 * Adds ` --while PATTERN` for a function, up to a `.part.0` or ` [module]`.
 * False: it begins with something else.
 */
bool again_while(const char *name, size_t len, struct buf *b);

/* Adds the file of the capture, how to have it if it is not kept, and a line's
 * end. */
void again_kept(const struct plan *p, struct buf *b);

/* Adds the options that begin and end a run, and how it is sampled. */
void again_range(const struct options *o, struct buf *b);

#endif
