/* SPDX-License-Identifier: ISC */
/* Processes that are started. */
#ifndef JOB_H
#define JOB_H

#include <stdbool.h>
#include <sys/types.h>

struct job {
	char *const *argv;
	int in, out, err; /* its descriptors; 0: ours */
	int keep;	  /* one more that it gets, of the same number */
	bool foreign;	  /* not one of kst's, which stand beside this one */
	bool terminal;	  /* it is to be the terminal's foreground */
};

/*
 * Starts it in a group of its own, with no signal blocked; it gets SIGTERM when
 * this process ends. Returns -1 after a message.
 */
pid_t job_start(const struct job *j);

/* Whether it has ended, with its status as of waitpid(). */
bool job_ended(pid_t pid, int *status);

/* What one of kst's commands prints, to be freed; NULL after a message. */
char *job_read(char *const *argv);

/* Hands on messages that a job has written to a file. */
void job_said(int fd);

/* Has the desktop show a file; that may outlive this process. */
void job_show(const char *path);

#endif
