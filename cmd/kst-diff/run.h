/* SPDX-License-Identifier: ISC */
/* The whole comparison. */
#ifndef RUN_H
#define RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "gate.h"
#include "profile/profile.h"
#include "show.h"
#include "trace/shape.h"

struct options {
	enum profile_by by;
	enum sort sort;
	enum format format;
	enum shape shape;
	bool self, all, folded, normalize;
	enum open_result { OPEN_OPEN, OPEN_PASSES, OPEN_FAILS } inconclusive;
	uint64_t limit;
	double work[2]; /* before and after; 0: not given */
	struct gates gates;
	struct rounds rounds;
};

/* Returns the exit status. */
int run(struct options *o, char **operands, int n);

#endif
