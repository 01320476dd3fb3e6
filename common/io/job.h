/* SPDX-License-Identifier: ISC */
/*
 * Starts other programs, waits for them, and ends them with all that they have
 * started themselves.
 *
 * A command whose programs may start others, such as a script that starts QEMU,
 * does its work in a second process, so that either may be killed:
 *
 *	status = job_own(work, &what_it_needs);
 *
 * The first process waits. If it is killed, the one that works is asked to end;
 * if that is killed, the first one ends what it has started. What leaves its
 * parent, its group or its session becomes their child. In work(), nothing
 * blocks for long: it looks again every 10 to 20 ms, and job_asked() tells
 * whether it is to end.
 *
 *	pid = job_start(&(struct job){.argv = argv, .foreign = true});
 *	while (!job_ended(pid, &status) && job_asked() == 0)
 *		poll(NULL, 0, 20);
 *	job_end_all();
 *
 * Other systems than Linux tell only who has which parent: there, what has left
 * its parent and its group before it was looked for is not found.
 */
#ifndef KST_JOB_H
#define KST_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct job {
	char *const *argv;
	int in, out, err; /* its descriptors; 0: ours */
	int keep;	  /* one more that it gets, of the same number */
	bool foreign;	  /* not one of kst's, which stand beside this one */
	bool terminal;	  /* it gets the terminal, if job_own() found it ours */
	bool stays;    /* in our process group, which a terminal's ^C reaches */
	bool outlives; /* no signal tells it that this process has ended */
	int *error;    /* set to why it was not started, without a message */
};

/*
 * Starts it in a process group of its own, unless it stays in ours, with no
 * signal blocked; it gets SIGTERM when this process ends. Returns -1 after a
 * message, or with `error` also when the program itself cannot be started;
 * else the process says so, and ends.
 */
pid_t job_start(const struct job *j);

/* Whether it has ended, with its status as of waitpid(). Does not wait. */
bool job_ended(pid_t pid, int *status);

/*
 * Waits, and returns its status as of waitpid(); of a pid below 1, as
 * job_start() returns it, the status is EXIT_SYSTEM. In work(), a second wish
 * (job_asked()) sends it SIGTERM.
 */
int job_wait(pid_t pid);

/* A status as a shell gives it. A status other than 0 is reported. */
int job_status(const char *name, int status);

/* What a command of kst prints; the caller frees it. NULL after a message. */
char *job_output(char *const *argv);

/*
 * Does the work in another process, and ends everything that this process has
 * left. Returns its status as of waitpid(); after a signal, the caller may
 * conclude the work itself. From then on SIGINT, SIGTERM, SIGHUP and SIGCHLD
 * are blocked, and SIGPIPE and SIGTTOU ignored, in both processes.
 */
int job_own(int (*work)(void *arg), void *arg);

/*
 * How often somebody asked this to end: by SIGINT, SIGTERM or SIGHUP, or by
 * killing the process that waits.
 *
 * 0: nobody. 1: an orderly end, with output. More: an end at once. What comes
 * within a second of the first request belongs to it, because timeout(1)
 * signals a process and then its group. 0 without job_own().
 */
int job_asked(void);

/* Milliseconds of a clock that nobody sets. */
int64_t job_ms(void);

/*
 * Sends SIGTERM to all that was started and has not got it from here in the
 * last second. A program that has just begun may miss the first one.
 */
void job_ask_all(void);

/*
 * Whether anything that was started is left. Call it only after the jobs whose
 * statuses are wanted have ended: it forgets the statuses of others.
 */
bool job_left(void);

/*
 * Ends all that was started and is left: by job_ask_all() and, after three
 * seconds or a second request, by SIGKILL. The terminal is ours again, with its
 * modes.
 */
void job_end_all(void);

/* In a child: sets signals as they were at the command's start. */
void job_signals(void);

#endif
