/* SPDX-License-Identifier: ISC */
/* What the files of the worker share: the unit it is at, and what is said. */
#ifndef WORKER_H
#define WORKER_H

#include "job.h"
#include "pipeline.h"

struct worker {
	const char *dir; /* of the run */
	struct run run;
	char host[65];
	bool sent;	     /* this machine has copies of the captures */
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
void judge_summary(
    struct worker *w, const struct unit *u, const struct stage *s);

/* make.c: makes the outputs; what comes of it is in w->result. */
void make_capture(struct worker *w, const struct unit *u);
void make_sum(struct worker *w, const struct unit *u);

#endif
