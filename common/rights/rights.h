/* SPDX-License-Identifier: ISC */
/*
 * Gives up the rights that a filter does not need, before it reads a byte of
 * its input. Hostile input may find a fault in the filter and take it over.
 * Then it has only memory and the files that are open: it reaches no other
 * file, connection, program or process. docs/design.md lists the system calls
 * that are left.
 */
#ifndef KST_RIGHTS_H
#define KST_RIGHTS_H

#include <sys/types.h>

/* The rights that are kept, beside reading and writing open files. */
enum {
	RIGHTS_NAMES = 1,   /* lists folders and resolves links */
	RIGHTS_MEMORY = 2,  /* makes files in memory: port_temp_file() */
	RIGHTS_SCREEN = 4,  /* sets the modes of a terminal that is open */
	RIGHTS_RECEIVE = 8, /* gets files from another process of the command */
	RIGHTS_GUARD = 16,  /* starts and awaits processes of this program in
			       sessions of their own, shuts connections down,
			       and sets an alarm */
	RIGHTS_PEER = 32,   /* looks who is at the other end of a connection
			       and what came from there, and sends SIGINT */
	RIGHTS_RUN = 64	    /* runs other programs: all calls, but no file is
			       written */
};

struct rights {
	char *const *reads; /* files and folders that may still be opened */
	int n_reads;
	const char *removes; /* folder whose files may be removed, or NULL */
	unsigned also;	     /* of RIGHTS_* */
	pid_t child;	     /* may be signalled and awaited; 0: none */
	pid_t awaits;	     /* a child that may be awaited; 0: none */
};

/* As `reads`, with n_reads 1: every file may be read. */
extern char *const rights_all[];

/*
 * Keeps these rights and the files that are open, and gives up all others. A
 * right that was given up before does not come back. Does nothing where the
 * system has no means for it, or with KST_NO_SANDBOX=1. If the system has them
 * and they fail, the command ends with EXIT_SYSTEM.
 */
void rights_keep(const struct rights *r);

/* rights_keep() for a filter that opens only these operands. */
void rights_files(char *const *operands, int n);

/* In calls.c --------------------------------------------------------------- */

/* A child that may be awaited whatever rights are given up; 0: none. */
extern pid_t rights_awaited;

/*
 * Refuses all system calls but those for these rights, by a program for
 * seccomp(2). Returns 0, also where this system or processor has no such thing,
 * or -1 with errno.
 */
int calls_keep(const struct rights *r);

#endif
