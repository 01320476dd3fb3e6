/* SPDX-License-Identifier: ISC */
/*
 * The guest's memory from outside: QEMU says where in its process that is, and
 * the host copies from there in two microseconds. The process is one that this
 * user may read; it is opened for reading before the rights to do so are given
 * up, so that no other process can be read later.
 */
#ifndef OUTSIDE_H
#define OUTSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct monitor;
struct outside;

/* Opens the memory of a process; NULL: it is 0, or may not be read. */
struct outside *outside_open(pid_t pid);
void outside_free(struct outside *o);

/*
 * Asks where the guest's memory is, and whether the bytes there are those that
 * QEMU has. May be called again, also while the guest stands still. Returns -1
 * if nothing can be read: it is lost.
 */
int outside_map(struct outside *o, const struct monitor *m);

/*
 * Reads n bytes of physical memory, which the guest may be writing. Returns -1
 * when they are not all memory: what belongs to devices is never read.
 */
int outside_copy(void *outside, uint64_t at, void *to, size_t n);

/*
 * The same of a guest that stands still since outside_forget(): a page is read
 * once, which takes as long as a word.
 */
int outside_copy_still(void *outside, uint64_t at, void *to, size_t n);
void outside_forget(struct outside *o);

/*
 * Whether a read went beyond that memory since, or failed: the guest may have
 * got more, or other memory.
 */
bool outside_missed(const struct outside *o);

/* Whether the process could not be read since the last outside_map(). */
bool outside_lost(const struct outside *o);

#endif
