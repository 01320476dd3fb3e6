/* SPDX-License-Identifier: ISC */
/*
 * Commands joined by pipes, run without a shell: each one's messages are kept
 * apart, the last one's output goes to a function.
 */
#ifndef PIPELINE_H
#define PIPELINE_H

#include <sys/types.h>

#include "text.h"

enum { STAGES_MAX = 8 };

/* Bytes of messages that are kept of a stage; what follows is thrown away. */
enum { ERR_MAX = 1500 };

/* The filters that stand beside this command come before others. */
void path_beside(void);

struct stage {
	char **argv;
	pid_t pid;
	int status; /* as of waitpid() */
	int err_fd;
	struct buf err;	 /* its messages */
	struct buf tail; /* the last of them, though thrown away */
};

struct pipeline {
	struct stage stage[STAGES_MAX];
	size_t n;
};

/* Adds a command: its first word, then `extra` (NULL-ended), then the rest. */
void pipeline_add(
    struct pipeline *p, const struct words *w, const char *const *extra);

/* Starts the stages; the descriptor is the first one's input, and closed.
 * Returns the descriptor of the last one's output, or -1 with errno. */
int pipeline_start(struct pipeline *p, int in_fd);

/* Gets the output; returns 0 or -1 for a failure of the system or of put(). */
typedef int pipeline_put(void *arg, const char *p, size_t n);
int pipeline_drain(
    struct pipeline *p, int out_fd, pipeline_put *put, void *arg);

/* Both. */
int pipeline_run(struct pipeline *p, int in_fd, pipeline_put *put, void *arg);
void pipeline_done(struct pipeline *p);

#endif
