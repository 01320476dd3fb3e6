/* SPDX-License-Identifier: ISC */
/*
 * A look at the stub before gdb comes: gdb cannot tell whether the guest was
 * running, and waits long for a stub that serves somebody else.
 */
#ifndef GDB_LOOK_H
#define GDB_LOOK_H

#include <stdbool.h>

struct target;

/*
 * Whether the guest was paused, in *paused; it is as before then. Returns -1
 * after a message: gdb cannot be given the address, nobody listens there, or
 * the stub is busy.
 */
int gdb_look_first(const struct target *t, bool *paused);

#endif
