/* SPDX-License-Identifier: ISC */
/* Makes temporary files, and runs kst's filters from one to another. */
#ifndef NAMING_H
#define NAMING_H

struct options;
struct words;

/*
 * A file without a name, which is gone when its descriptor is closed. -1 after
 * a message.
 */
int naming_file(void);

/* Runs a filter from one file to another. Returns its exit status. */
int naming_filter(const struct words *w, int in, int out);

/*
 * Names the addresses in a file of folded text, by kst-sym in this command's
 * folder. `more` are further options of kst-sym, up to NULL. *in becomes
 * another file; without ELF files it does not change. Returns an exit status.
 */
int naming_run(const struct options *o, int *in, const char *const *more);

#endif
