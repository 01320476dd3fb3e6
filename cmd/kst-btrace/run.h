/* SPDX-License-Identifier: ISC */
/* From the text to folded stacks, and the summary. */
#ifndef RUN_H
#define RUN_H

#include <stdbool.h>

#include "opt/opt.h"
#include "lines.h"
#include "folding.h"

struct run_options {
	struct folding_options stacks;
	enum line_number value;
	struct opt_list maps; /* with or without `@`; none: all maps */
	const char *unit;     /* of the weights; NULL: not known */
	bool no_trailer, verbose;
};

/* Returns the exit status. */
int run(const struct run_options *opt, char **files, int n_files);

#endif
