/* SPDX-License-Identifier: ISC */
/*
 * Reads the guest's memory from outside. QEMU says where the memory is in its
 * process, and the host copies from there in two microseconds. This user must
 * be allowed to read the process. It is opened before the right to open it is
 * given up, so no other process can be read later.
 */
#ifndef OUTSIDE_H
#define OUTSIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct monitor;
struct outside;

/* Opens the memory of a process. NULL: the process is 0, or may not be read. */
struct outside *outside_open(pid_t pid);
void outside_free(struct outside *o);

/*
 * Asks where the guest's memory is, and checks that the bytes there are those
 * that QEMU has. May be called again, also while the guest is stopped. Returns
 * -1 if nothing can be read: the memory is lost.
 */
int outside_map(struct outside *o, const struct monitor *m);

/*
 * Reads n bytes of physical memory, which the guest may be writing. Returns -1
 * if not all of them are memory: what belongs to devices is never read.
 */
int outside_copy(void *outside, uint64_t at, void *to, size_t n);

/*
 * As outside_copy(), for a guest that has been stopped since outside_forget():
 * each page is read only once, which takes as long as a word.
 */
int outside_copy_still(void *outside, uint64_t at, void *to, size_t n);
void outside_forget(struct outside *o);

/*
 * Whether a read since then went beyond that memory, or failed. The guest may
 * have got more memory, or other memory.
 */
bool outside_missed(const struct outside *o);

/* Whether the process could not be read since the last outside_map(). */
bool outside_lost(const struct outside *o);

#endif
