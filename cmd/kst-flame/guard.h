/* SPDX-License-Identifier: ISC */
/*
 * Two processes, so that either may be killed: the one that the user has
 * started waits for one that works. When the first has gone, the work ends as
 * by a signal; when the work has, the first one ends what that has started.
 * What leaves its parent, its group or its session becomes their child.
 */
#ifndef GUARD_H
#define GUARD_H

#include <signal.h>

/* What the process that works gets when the other one has gone. */
#define GUARD_GONE SIGUSR1

/*
 * Does the work in another process, and hands signals on to it: those that are
 * blocked, among them SIGCHLD and GUARD_GONE. Returns the status of it as of
 * waitpid().
 */
int guard_work(int (*work)(void *arg), void *arg);

/*
 * Ends all that has been started and is left, first by SIGTERM, after three
 * seconds by SIGKILL.
 */
void guard_end(void);

#endif
