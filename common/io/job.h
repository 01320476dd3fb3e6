/* SPDX-License-Identifier: ISC */
/* Starts another program. */
#ifndef KST_JOB_H
#define KST_JOB_H

#include <stdbool.h>
#include <sys/types.h>

struct job {
	char *const *argv;
	int in, out, err; /* its descriptors; 0: ours */
	int keep;	  /* one more that it gets, of the same number */
	bool foreign;	  /* not one of kst's, which stand beside this one */
	bool terminal;	  /* it is to be the terminal's foreground */
	bool stays;	  /* in our process group, not in one of its own */
};

/*
 * Starts it with no signal blocked; it gets SIGTERM when this process ends.
 * Returns -1 after a message.
 */
pid_t job_start(const struct job *j);

/* In a child: signals as at a command's start. */
void job_signals(void);

#endif
