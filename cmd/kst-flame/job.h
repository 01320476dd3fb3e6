/* SPDX-License-Identifier: ISC */
/*
 * Processes, and how all of them are ended. Ours are two, so that either may be
 * killed: the one that the user has started waits for one that works. When the
 * first has gone, the work ends as by a signal; when the work has, the first
 * one ends what that has started. What leaves its parent, its group or its
 * session becomes their child.
 */
#ifndef JOB_H
#define JOB_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

#include "io/job.h"

/* Whether it has ended, with its status as of waitpid(). */
bool job_ended(pid_t pid, int *status);

/* A status as a shell gives it; one that is not 0 is said. */
int job_status(const char *name, int status);

/* What one of kst's commands prints, to be freed; NULL after a message. */
char *job_read(char *const *argv);

/* Hands on messages that a job has written to a file. */
void job_said(int fd);

/* Has the desktop show a file; that may outlive this process. */
void job_show(const char *path);

/* The terminal, if we are its foreground: who started us, and its modes. */
struct terminal {
	bool ours;
	pid_t group;
	struct termios modes;
};

void terminal_take(struct terminal *t);
void terminal_return(const struct terminal *t);

/* What the process that works gets when the other one has gone. */
#define GUARD_GONE SIGUSR1

/*
 * Blocks the signals that end a run, SIGCHLD and GUARD_GONE; guard_signal()
 * takes one that has come since, but for SIGCHLD, or returns 0.
 */
void guard_signals(void);
int guard_signal(void);

/*
 * Does the work in another process, and hands those signals on to it. Returns
 * the status of it as of waitpid().
 */
int guard_work(int (*work)(void *arg), void *arg);

/*
 * Ends all that has been started and is left, first by SIGTERM, after three
 * seconds by SIGKILL.
 */
void guard_end(void);

#endif
