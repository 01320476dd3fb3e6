/* SPDX-License-Identifier: ISC */
/*
 * Gives up rights, because what a guest sends may be hostile. Once connected,
 * and before the first answer is read, this process gives up the rights that it
 * does not need. It may open files that contain code and, for a kernel with
 * split debug information, those in the kernel's folder. Its watchdog was
 * started before, and can connect once more.
 */
#ifndef CONFINE_H
#define CONFINE_H

struct rights;
struct target;

/* Keeps what each backend needs, and these rights. May be called again. */
void confine(const struct target *t, const struct rights *and);

#endif
