/* SPDX-License-Identifier: ISC */
/*
 * Private to the room: one gdb for the whole run, in a process group of its
 * own, spoken to over a socket. The watchdog sees to it that the guest runs on
 * when this process is killed: it closes gdb's input, at which gdb detaches,
 * reads what gdb still writes so that gdb is not killed by a closed socket, and
 * if gdb does not end in time it ends gdb and sets the guest running itself.
 */
#ifndef GDB_H
#define GDB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "guest/backend.h"
#include "wire/wire.h"

struct gdb {
	const struct target *t;
	pid_t pid; /* 0: it has ended */
	int fd;	   /* its standard input and output */
	struct watchdog dog;
	struct lines in;
	unsigned long token;  /* of the last command */
	const char *doing;    /* what that was for */
	struct buf error;     /* if it failed: gdb's message */
	struct buf *text;     /* what it prints goes here, or NULL */
	bool stopped, exited; /* the guest, as gdb tells it */
	bool attached;
	bool asked;   /* the stop is ours */
	bool foreign; /* somebody else has stopped it; it is left so */
	bool paused;  /* and had done so before we came */
};

/*
 * A look at the stub before gdb comes, which cannot tell whether the guest was
 * running, and waits long for a stub that serves somebody else. Sets
 * g->paused; the guest is as it was then. Returns -1 after a message: gdb
 * cannot be given the address, nobody listens there, or the stub is busy.
 */
int gdb_look_first(struct gdb *g);

/* Starts g->t->gdb, and the watchdog. Returns -1 after a message. */
int gdb_start(struct gdb *g);

/*
 * The next record, with what it tells of the guest noted: a string in *line,
 * valid until the next call, if CONN_OK. More than max_signals signals end the
 * wait.
 */
enum conn_end gdb_next(
    struct gdb *g, const char **line, uint64_t deadline, int max_signals);

/*
 * Sends a command, and waits for its result for `limit` ns, in *result unless
 * that is NULL. CONN_ERROR: gdb says why, in g->error.
 */
enum conn_end gdb_command(
    struct gdb *g, uint64_t limit, const char *command, const char **result);

/*
 * Ends gdb: by closing its input, at which it detaches, and after `limit` ns
 * by force. Returns whether it has ended by itself, without a signal. *why, if
 * it is not NULL, gets how it ended.
 */
bool gdb_stop(struct gdb *g, uint64_t limit, struct buf *why);

/*
 * gdb's machine interface: one line a record, here a string. Format: the
 * chapter "GDB/MI Output Syntax" of gdb's manual.
 */

/*
 * Appends s as one quoted argument of a command whose argument gdb reads by
 * the rules of its command line: a backslash before a byte keeps it. A text
 * with line ends cannot be sent.
 */
void mi_quote(struct buf *b, const char *s);

/*
 * Appends the text of the string of MI at p, which begins with a quote.
 * Returns -1 when it does not end.
 */
int mi_unquote(const char *p, struct buf *out);

/* The string after `name=` in a record. Returns -1 if it is not there. */
int mi_value(const char *line, const char *name, struct buf *out);

/*
 * Completes the text of one `thread apply all bt`: the last line by LF. Counts
 * the stacks.
 */
void gdb_text_finish(struct sample *s);

#endif
