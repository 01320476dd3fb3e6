/* SPDX-License-Identifier: ISC */
/*
 * Private to the room: one gdb for the whole run, in a process group of its
 * own, spoken to over a socket. If this process is killed, the watchdog makes
 * sure that the guest runs on. It closes gdb's input, at which gdb detaches,
 * and reads what gdb still writes, so that a closed socket does not kill gdb.
 * If gdb does not end in time, the watchdog ends gdb and resumes the guest
 * itself.
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
	bool stopped, exited; /* the guest, as gdb reports it */
	bool attached;
	bool asked;   /* the stop is ours */
	bool foreign; /* somebody else has stopped it; it stays stopped */
	bool paused;  /* and had stopped it before we came */
};

/*
 * Looks at the stub before gdb starts. gdb cannot find out whether the guest
 * was running, and waits long for a stub that serves somebody else. Sets
 * g->paused; afterwards the guest is as it was before. Returns -1 after a
 * message: gdb cannot be given the address, nobody listens there, or the stub
 * is busy.
 */
int gdb_look_first(struct gdb *g);

/* Starts g->t->gdb, and the watchdog. Returns -1 after a message. */
int gdb_start(struct gdb *g);

/*
 * Reads the next record, and notes what it says about the guest. With CONN_OK,
 * *line is a string that is valid until the next call. More than max_signals
 * signals end the wait.
 */
enum conn_end gdb_next(
    struct gdb *g, const char **line, uint64_t deadline, int max_signals);

/*
 * Sends a command, and waits for its result for `limit` ns; the result is in
 * *result unless that is NULL. CONN_ERROR: gdb's reason is in g->error.
 */
enum conn_end gdb_command(
    struct gdb *g, uint64_t limit, const char *command, const char **result);

/*
 * Ends gdb: closes its input, at which it detaches, and after `limit` ns ends
 * it by force. Returns whether it has ended by itself, without a signal. *why,
 * if it is not NULL, gets how it ended.
 */
bool gdb_stop(struct gdb *g, uint64_t limit, struct buf *why);

/*
 * gdb's machine interface: one line a record, here a string. Format: the
 * chapter "GDB/MI Output Syntax" of gdb's manual.
 */

/*
 * Appends s as one quoted argument of a command whose argument gdb reads by the
 * rules of its command line: a backslash protects the byte after it. A text
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
 * Completes the text of one `thread apply all bt`: adds an LF after the last
 * line. Counts the stacks.
 */
void gdb_text_finish(struct sample *s);

#endif
