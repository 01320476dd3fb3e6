/* SPDX-License-Identifier: ISC */
/* From the text to folded stacks, and the summary. */
#ifndef RUN_H
#define RUN_H

struct options;

/* Returns the exit status. */
int run(const struct options *o, char **files, int n_files);

#endif
