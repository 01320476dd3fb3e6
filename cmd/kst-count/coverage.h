/* SPDX-License-Identifier: ISC */
/* Writes which lines and branches were executed, as lcov's tracefile. */
#ifndef COVERAGE_H
#define COVERAGE_H

struct options;

/* Makes the file that the plugin fills. Returns 0, or -1 after a message. */
int coverage_open(char path[64]);

/*
 * Writes the file of --coverage from the plugin's file, in a process that reads
 * the ELF files and has no other right. Returns an exit status.
 */
int coverage_write(const struct options *o);

#endif
