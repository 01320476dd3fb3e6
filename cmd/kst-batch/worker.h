/* SPDX-License-Identifier: ISC */
/* What the files of the worker share: the unit it is at, and what is said. */
#ifndef WORKER_H
#define WORKER_H

#include <stdbool.h>

#include "job.h"

struct worker {
	const char *dir; /* of the run */
	struct run run;
	char host[65];
	bool sent; /* this machine has copies of the captures */
	/* the unit at hand */
	const struct unit *u;
	struct record r;
	struct buf what;
};

/* Makes the outputs of w->u; what came of it is in w->r and w->what. */
void make_capture(struct worker *w);
void make_drawing(struct worker *w);
void make_sum(struct worker *w);

#endif
