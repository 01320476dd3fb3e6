/* SPDX-License-Identifier: ISC */
/* The tracks of a directory, their records merged by time. */
#ifndef MERGE_H
#define MERGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/fault.h"
#include "beside.h"
#include "track.h"

struct tracks {
	struct track *v; /* by task id */
	size_t n;
	struct beside beside;
	struct fault resync;
	bool failed;
};

/* Finds the .dat files. */
void tracks_open(struct tracks *ts, struct emit *e);
void tracks_close(struct tracks *ts);

/* Writes all records by time; each track keeps its own order. */
void tracks_merge(struct tracks *ts, struct emit *e);

#endif
