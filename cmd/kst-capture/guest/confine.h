/* SPDX-License-Identifier: ISC */
/*
 * What a guest sends may be hostile: once connected, before the first answer is
 * read, this process gives up the rights that it does not need. It may open
 * files with code alone, and of a kernel with split debug information those in
 * its folder. Its watchdog was started before, and can connect once more.
 */
#ifndef CONFINE_H
#define CONFINE_H

struct rights;
struct target;

/* Keeps what each backend needs, and these rights. May be called again. */
void confine(const struct target *t, const struct rights *and);

#endif
