/* SPDX-License-Identifier: ISC */
/*
 * A process that starts the command and outlives this one: when this one ends,
 * in whatever way, the guard ends all that the command has started, and takes
 * temporary files away.
 */
#ifndef GUARD_H
#define GUARD_H

#include <stdbool.h>
#include <sys/types.h>

struct guard_job {
	char *const *argv;  /* the command; NULL: none */
	int out;	    /* its standard output; -1: ours */
	bool terminal;	    /* it is to be the terminal's foreground */
	char *const *files; /* removed at the end; NULL ends them */
	const char *dir;    /* made, and removed when it is empty again */
};

struct guard {
	pid_t pid;
	int control; /* the guard ends all when this is closed */
	int report;  /* readable when the command has ended */
	bool ended;
	int status; /* of the command, as of waitpid() */
};

/* Returns -1 after a message. */
int guard_start(struct guard *g, const struct guard_job *job);

/* Takes the report; whether the command has ended. */
bool guard_look(struct guard *g);

/* Ends all, and waits until that is done. */
void guard_end(struct guard *g);

#endif
