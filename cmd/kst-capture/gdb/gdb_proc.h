/* SPDX-License-Identifier: ISC */
/*
 * One gdb for the whole run: started in a process group of its own, spoken to
 * over a socket. The watchdog sees to it that the guest runs on when this
 * process is killed: it closes gdb's input, at which gdb detaches, reads what
 * gdb still writes so that gdb is not killed by a closed socket, and if gdb
 * does not end in time it ends gdb and sets the guest running itself.
 */
#ifndef GDB_PROC_H
#define GDB_PROC_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "gdb/gdb_mi.h"
#include "wire/address.h"
#include "wire/conn.h"
#include "wire/watchdog.h"

struct gdb_proc {
	pid_t pid;
	int fd; /* gdb's standard input and output */
	struct watchdog dog;
	const struct address *addr;
	bool paused;
	struct lines lines;
	unsigned long token;
	struct mi_record result; /* of the last command, until more is read */
	struct buf error;	 /* if that failed: gdb's message */
};

struct target;

/*
 * A look at the stub before gdb comes, which cannot tell whether the guest was
 * running, and waits long for a stub that serves somebody else. Whether the
 * guest was paused, in *paused; it is as before then. Returns -1 after a
 * message: gdb cannot be given the address, nobody listens there, or the stub
 * is busy.
 */
int gdb_look_first(const struct target *t, bool *paused);

/*
 * Starts `gdb` (a path or a name to look up). The address is for the watchdog,
 * which leaves a guest as it is that was paused before. Returns -1 after a
 * message.
 */
int gdb_start(
    struct gdb_proc *g, const char *gdb, const struct address *a, bool paused);

/*
 * The next record, valid until the next call: CONN_OK, or why there is none.
 * More than max_signals signals end the wait.
 */
enum conn_end gdb_next(struct gdb_proc *g, struct mi_record *r,
    uint64_t deadline, int max_signals);

/*
 * Sends a command, and gives each record before its result to `each`. Within
 * `limit` ns: CONN_OK for `^done`, `^running` and `^connected`, CONN_ERROR with
 * the message in g->error for `^error`.
 */
enum conn_end gdb_command(struct gdb_proc *g, const char *command,
    uint64_t limit, void (*each)(void *arg, const struct mi_record *r),
    void *arg);

/*
 * Ends gdb: by closing its input, at which it detaches, and after `limit` ns
 * by force. Returns whether it has ended by itself, without a signal. In
 * *why, if that is not NULL, is said how it ended.
 */
bool gdb_stop(struct gdb_proc *g, uint64_t limit, struct buf *why);

/* Calls the watchdog off and frees all. gdb_stop() must have been called. */
void gdb_done(struct gdb_proc *g);

#endif
