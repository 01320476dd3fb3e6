/* SPDX-License-Identifier: ISC */
/*
 * One gdb for the whole run: started in a process group of its own, spoken to
 * over pipes. A keeper, a child like that of watchdog.h, sees to it that the
 * guest runs on when this process is killed: gdb then finds its input closed
 * and detaches, the keeper reads what gdb still writes so that gdb is not
 * killed by a closed pipe, and if gdb does not end in time it ends gdb and
 * sets the guest running itself.
 */
#ifndef GDB_PROC_H
#define GDB_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "wire/address.h"
#include "base/buf.h"
#include "gdb/gdb_mi.h"

struct gdb_proc {
	pid_t pid, keeper;
	int in, out;	  /* gdb's standard input and output */
	int keeper_pipe;  /* a byte calls the keeper off */
	struct buf lines; /* what was read; lines before `at` are done */
	size_t at;
	unsigned long token;
	struct buf error; /* of the last command that failed: gdb's message */
};

/* How a wait for gdb ended. */
enum gdb_end { GDB_OK, GDB_ERROR, GDB_TIMEOUT, GDB_GONE, GDB_HURRY };

/*
 * Starts `gdb` (a path or a name to look up). The address is for the keeper,
 * which leaves a guest as it is that was paused before. Returns -1 after a
 * message.
 */
int gdb_start(
    struct gdb_proc *g, const char *gdb, const struct address *a, bool paused);

/*
 * The next record, valid until the next call: GDB_OK, or why there is none.
 * More than max_signals signals end the wait.
 */
enum gdb_end gdb_next(struct gdb_proc *g, struct mi_record *r,
    uint64_t deadline, int max_signals);

/* Sends a command; gdb_wait() recognises its result. */
enum gdb_end gdb_send(struct gdb_proc *g, const char *command);

/*
 * Gives each record before the result of the last command to `each`, then
 * returns: GDB_OK for `^done`, `^running` and `^connected`, GDB_ERROR with
 * the message in g->error for `^error`.
 */
enum gdb_end gdb_wait(struct gdb_proc *g, uint64_t deadline,
    void (*each)(void *arg, const struct mi_record *r), void *arg);

/*
 * Ends gdb: by closing its input, at which it detaches, and after `limit` ns
 * by force. Returns whether it has ended by itself, without a signal. In
 * *why, if that is not NULL, is said how it ended.
 */
bool gdb_stop(struct gdb_proc *g, uint64_t limit, struct buf *why);

/* Calls the keeper off and frees all. gdb_stop() must have been called. */
void gdb_done(struct gdb_proc *g);

/*
 * Sets a guest running that a dead debugger has left stopped: a new
 * connection that detaches. Returns -1 when the stub does not answer.
 */
int gdb_repair(const struct address *a, uint64_t timeout);

#endif
