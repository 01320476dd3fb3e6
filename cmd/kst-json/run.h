/* SPDX-License-Identifier: ISC */
/* Reads JSON or trace text, writes the other, and reports. */
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
