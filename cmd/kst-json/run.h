/* SPDX-License-Identifier: ISC */
/* The run: one way or the other, and what is said of it. */
#ifndef RUN_H
#define RUN_H

#include <stdbool.h>

#include "text/cpus.h"

struct options {
	struct cpus cpus;
	bool to_json, verbose;
};

/* Returns the exit status. */
int run(struct options *opt, char **files, int n_files);

#endif
