/* SPDX-License-Identifier: ISC */
/* From console logs and tracefiles to text, and the summary. */
#ifndef RUN_H
#define RUN_H

#include <stdbool.h>

#include "spans/emit.h"

struct run_options {
	struct emit_options emit;
	bool stacks, verbose;
};

/* Returns the exit status. */
int run(const struct run_options *opt, char **files, int n_files);

#endif
