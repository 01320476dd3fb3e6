/* SPDX-License-Identifier: ISC */
/* Temporary files, and kst's filters from one to another. */
#ifndef NAMING_H
#define NAMING_H

struct options;
struct words;

/* A file without a name, which is gone with its descriptor; -1: a message. */
int naming_file(void);

/* Runs a filter from one file to another. Returns its exit status. */
int naming_filter(const struct words *w, int in, int out);

/*
 * Names the addresses in a file of folded text, by kst-sym in this one's
 * folder, with one more of its options, or NULL. *in becomes another file;
 * without ELF files it stays. Returns an exit status.
 */
int naming_run(const struct options *o, int *in, const char *more);

#endif
