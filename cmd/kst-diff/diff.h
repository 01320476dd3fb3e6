/* SPDX-License-Identifier: ISC */
/* The comparison; the answer, as a table for people or as data for programs. */
#ifndef DIFF_H
#define DIFF_H

#include "rounds.h"
#include "code/code.h"
#include "gate.h"
#include "measure.h"
#include "sides/profile.h"
#include "sides/side.h"

enum format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON, FORMAT_MARKDOWN };
#define SORTS(X)                 \
	X(SORT_CHANGE, "change") \
	X(SORT_BEFORE, "before") \
	X(SORT_AFTER, "after")   \
	X(SORT_NAME, "name")
enum sort { SORTS(OPT_ID) };
#define OPEN_RESULTS(X) X(OPEN_PASSES, "pass") X(OPEN_FAILS, "fail")

struct options {
	enum profile_by by;
	enum sort sort;
	enum format format;
	enum shape shape;
	bool self, all, folded, normalize;
	enum open_result { OPEN_OPEN, OPEN_RESULTS(OPT_ID) } inconclusive;
	uint64_t limit;
	const char *elf;   /* OLD,NEW */
	uint64_t found_fd; /* for what was found; 0: nobody asks */
	double work[2];	   /* before and after; 0: not given */
	const char *calls; /* FILE,FILE: those of each function */
	struct gates gates;
	struct rounds rounds;
};

/* run.c: returns the exit status. */
int run(struct options *o, char **operands, int n);

/* show.c */
struct show {
	const struct measure *m;
	const struct side *side; /* both */
	const struct gates *gates;
	const struct code *code; /* NULL: not asked for */
	enum profile_by by;
	enum sort sort;
	struct row *rows;
	size_t n, limit; /* rows to show; 0: all */
	bool colour;	 /* both from the terminal */
	size_t width;	 /* 0: names are not cut */
};

/*
 * Writes the answer. With SORT_CHANGE, functions whose own code differs come
 * first, then significant rows; equal rows go by name.
 */
void show_put(struct show *s, enum format format);

/* Counts the rows that have become more, or less. */
void show_changed(const struct show *s, size_t *slower, size_t *faster);

/* data.c */
void show_name(const struct show *s, const struct row *r, struct buf *b);
extern const char *const show_by[]; /* what a row is, by `by` */
void show_csv(const struct show *s);
void show_json(const struct show *s);

#endif
