/* SPDX-License-Identifier: ISC */
/* Rows of kst-top's tables of a capture. */
#ifndef ROWS_H
#define ROWS_H

#include <stdbool.h>
#include <stddef.h>

struct plan;

/* A row of a group. */
struct row {
	char name[160];
	double self, share, total; /* two shares of the group, 0 to 1 */
};

/* Samples of the row's group. */
double rows_samples(const struct row *r);

/*
 * A row `NAME,self,total,self_share,...` that begins at `text`. False: there is
 * none, or its name needs quotes, as no symbol of C does.
 */
bool rows_read(const char *text, struct row *r);

/* The first row of kst-top --HOW ^NAME$; false: it has none. */
bool rows_first(
    const struct plan *p, const char *how, const char *name, struct row *r);

/*
 * kst-top's table of groups, of one state only if that is not NULL, with so
 * many rows of each; free() it.
 */
char *rows_table(const struct plan *p, const char *by, const char *state,
    const char *sort, int rows);

/* How many CPUs were sampled. */
size_t rows_cpus(const struct plan *p);

/* Whether a name stands for itself in a pattern, and in a shell. */
bool rows_plain(const char *name);

#endif
