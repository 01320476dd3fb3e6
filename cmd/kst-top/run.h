/* SPDX-License-Identifier: ISC */
/* Reads the input and shows the table. */
#ifndef RUN_H
#define RUN_H

#include "rank.h"
#include "trace/shape.h"

enum by { BY_NOTHING, BY_CPUS, BY_STATES, BY_ROOTS };
enum format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON };

struct options {
	struct rank_view view;
	enum by by;
	enum format format;
	enum shape shape;
	uint64_t limit;
	double min;
	bool has_limit, all;
};

/* Returns the exit status. */
int run(struct options *o, char **operands, int n);

#endif
