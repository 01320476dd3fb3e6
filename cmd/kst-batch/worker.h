/* SPDX-License-Identifier: ISC */
/* What the files of the worker share: the unit it is at, and what is said. */
#ifndef WORKER_H
#define WORKER_H

#include "job.h"
#include "pipeline.h"
#include "text/shape.h"
#include "source.h"

/* Which lines of the capture a process has that was given a share of it. */
struct share {
	const char *blocks; /* a file: the blocks' lengths, of all shares */
	uint64_t number, of;
	struct buf
	    lines; /* of each block, as uint64_t; once one is asked for */
};

struct worker {
	const char *dir; /* of the run */
	struct run run;
	char host[65];
	bool sent;	     /* this machine has copies of the captures */
	struct share *share; /* NULL: all of the unit */
	bool no_stack;	     /* was found in the unit */
	struct buf messages; /* of the unit: lines */
	struct result result;
};

/* judge.c: notes a message, and makes the unit's status no better than it. */
void say(struct worker *w, const struct unit *u, enum result_status status,
    const char *what);
/* The same of a fault of the capture, which has a place. */
void say_line(
    struct worker *w, const struct unit *u, uint64_t line, const char *what);
/* What the ended stages say of the unit. */
void judge_stages(
    struct worker *w, const struct unit *u, const struct pipeline *p);
/* Takes what kst-fold, the stage, has counted into the result. */
void judge_summary(struct worker *w, const struct stage *s);
/* A capture without any stack is broken, and says so if nothing else does. */
void judge_empty(struct worker *w, const struct unit *u);

/* make.c: makes the outputs; what comes of it is in w->result. */
void make_capture(struct worker *w, const struct unit *u);
void make_drawing(struct worker *w, const struct unit *u);
void make_sum(struct worker *w, const struct unit *u);

/* The steps on the text of a share; closes in. */
void make_share(struct worker *w, const struct unit *u, int in);
/* The sum of the files of which `paths` has the NUL-ended names. */
void make_sum_of(
    struct worker *w, const struct unit *u, const struct buf *paths);

/* Ends the reading of the capture, and says what was wrong with it. */
void make_close(struct worker *w, const struct unit *u, struct source *src);

/*
 * wide.c: makes the outputs of a packed capture from text that is shared out
 * to u->width pipes, which run at the same time.
 */
void make_wide(struct worker *w, const struct unit *u, enum shape shape,
    struct source *src);

/* The capture's line that is line n of the worker's share. */
uint64_t share_line(const struct worker *w, const struct unit *u, uint64_t n);

#endif
