/* SPDX-License-Identifier: ISC */
/*
 * Commands joined by pipes, run without a shell. What the filters have counted
 * comes from their --summary-fd; their messages are not read.
 */
#ifndef PIPE_H
#define PIPE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/buf.h"
#include "steps.h"

enum { STAGES_MAX = 8 };

struct stage {
	const char *name;
	pid_t pid;
	int status;	     /* as of waitpid() */
	const char *summary; /* its line, or NULL: it has written none */
};

struct pipeline {
	struct stage stage[STAGES_MAX];
	size_t n;
	int fd;	     /* what the next stage will read; closed with it */
	int said[2]; /* the pipe of the summaries */
	bool loud;   /* messages go to the standard error */
	struct buf text;
};

/* The filters that stand beside this command come before others. */
void path_beside(void);

/* `in` is the input of the first stage, and closed. Returns 0 or -1. */
int pipeline_begin(struct pipeline *p, int in, bool loud);

/* Starts a command; out: a file for its output, -1: the next stage reads it. */
int pipeline_add(struct pipeline *p, char *const *argv, int out);

/* The same with the words of a step; `more` is NULL or NULL-ended options. */
int pipeline_step(struct pipeline *p, const struct words *w,
    const char *const *more, bool summary, int out);

/* Waits for all stages, and takes their summaries. */
void pipeline_end(struct pipeline *p);
void pipeline_done(struct pipeline *p);

/* The number of a key in a summary; 0 when it is not there. */
uint64_t summary_number(const char *summary, const char *key);
/* Appends the first fault's text. */
void summary_what(const char *summary, struct buf *what);

#endif
