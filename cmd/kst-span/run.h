/* SPDX-License-Identifier: ISC */
/* The run: events in, one of the outputs out. */
#ifndef RUN_H
#define RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "sinks.h"
#include "want.h"

enum mode { MODE_FOLD, MODE_CALLS, MODE_LIST, MODE_SUMMARY, MODE_CHART };

struct options {
	enum mode mode;
	const char *by;
	bool csv, no_trailer;
	struct want want;
	enum summary_sort sort;
	uint64_t most; /* lines of a list or summary */
	bool has_sort, has_most;
};

/* Returns the exit status. */
int run(struct options *o, char **files, int n_files);

#endif
