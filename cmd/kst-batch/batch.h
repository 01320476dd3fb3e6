/* SPDX-License-Identifier: ISC */
/* A run of kst-batch: what was asked for, what is to be done, what came. */
#ifndef BATCH_H
#define BATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/opt.h"
#include "record.h"
#include "steps.h"

struct options {
	const char *out, *merge, *joblog, *hosts;
	unsigned by;		      /* 1: a sum for each folder */
	struct opt_list step_options; /* as given, until they are */
	struct steps steps;
	uint64_t jobs;	/* 0: as many as there are processors */
	uint64_t block; /* bytes; 0: captures are not split */
	bool force, dry_run, list, quiet, send;
};

/* Why an output is to be made; WHY_NOT: it is up to date. */
enum why { WHY_NOT, WHY_NEW, WHY_INPUT, WHY_OPTIONS, WHY_OUTPUT, WHY_FORCED };

/* An output, folded text and perhaps a picture: of a capture or a sum. */
struct item {
	char *path;  /* absolute: the capture, or the sum itself */
	char *rel;   /* its name in the state; of a capture, below OUT, without
			.folded; of a sum, with / before it */
	bool is_sum; /* of folded files: of a group, or of all */
	struct buf inputs; /* of a sum: paths, each with a NUL after it */
	uint64_t lacking;  /* of a sum: captures that have no folded text */
	uint64_t size, mtime;
	uint64_t key;
	enum why why;
	bool known;	/* `made` says what was made last */
	bool draw_only; /* the folded text is up to date, the picture not */
	bool done;	/* `made` says what came of it this time */
	struct record made;
	/*
	 * How it is made, a word of the worker's script: small, text, json,
	 * gzip, zstd and xz for captures, foreign for what no filter reads;
	 * capture, round, thread and lines for what is split there; draw for a
	 * picture; add and plain for sums.
	 */
	const char *kind;
	bool packed, splits; /* as the kind says */
	uint64_t work;	     /* bytes of text, to share it out by: a guess */
	uint64_t job;	     /* its folder */
};

struct items {
	struct item *v;
	size_t n, cap;
};

struct batch {
	const struct options *o;
	struct items items, sums; /* captures sorted by rel */
	struct intern *outputs;	  /* paths */
	uint64_t unreadable;	  /* operands that could not be read */
	struct state *state;
	char *cwd, *out; /* absolute, as all paths */
	char *kst,
	    *dir; /* OUT/.kst-batch, and below it the folder of this run */
	uint64_t key, svg_key;
	uint64_t workers;
	size_t n_hosts;
	/* this pass: its items, whether it runs on other machines */
	struct item **pass;
	size_t n_pass;
	bool remote;
	uint64_t jobs; /* of all passes */
	bool unmade;   /* a sum or the state could not be written */
	bool bar;      /* GNU parallel shows how far it is */
	double begin;  /* seconds */
};

/* run.c: does it, for the captures in the operands (NULL-ended); the exit
 * status. */
int batch_run(struct batch *b, char **operands);
void batch_done(struct batch *b);
/* Whether the file is GNU parallel's log, or not there. */
bool batch_is_log(const char *path);
/* Set by a signal: its number. */
extern volatile int batch_signal;
/* Seconds on a clock. */
double batch_now(void);

/* find.c: appends an empty one. */
struct item *items_add(struct items *t);
/*
 * An operand that is a folder stands for all regular files below it, but for
 * files and folders that the command writes itself, names that begin with
 * .kst-batch, and folders below it that have results of other runs. What cannot
 * be read is reported and counted. Ends the command when an operand is its own,
 * or two captures have the same output.
 */
void items_find(struct batch *b, char **operands);
void items_done(struct items *t);
/* The name of the item's output, with the suffix .folded or .svg. */
const char *item_output(
    const struct batch *b, const struct item *i, const char *suffix);
/* A name as the system takes it, absolute. */
const char *path_absolute(const struct batch *b, const char *name);

/* state.c: what was made, OUT/.kst-batch/state. -1 with errno. */
int state_open(const char *out, bool writable, struct state **state);
bool state_knows(const struct state *s, const char *rel);
/* What was made of the item last time. */
void state_load(const struct state *s, struct item *i);
/* Records what was made; -1 with errno. */
int state_put(struct state *s, const char *rel, const struct record *r);
void state_close(struct state *s);

/* plan.c: sets why. */
void plan_item(const struct batch *b, struct item *i);
/* Sets kind and work of what is to be made; -1 with errno. */
int plan_kind(const struct batch *b, struct item *i);

/* sums.c: finds the sums that are out of date and can be made. */
void sums_plan(struct batch *b);
/* The name of the picture of a sum. */
const char *sums_svg(const char *folded);
/* The name of the sum of all captures in the state. */
const char *sums_merge_rel(const struct batch *b);

/* script.c: counts the logins in --hosts. */
void hosts_read(struct batch *b);
/* Writes what GNU parallel and its jobs run. */
int script_write(const struct batch *b, uint64_t jobs);

/*
 * jobs.c: makes the items, with so many jobs at a time. 0, or -1 with errno.
 */
int jobs_run(struct batch *b, struct item **v, size_t n, uint64_t workers);
/* A worker's line, `NUMBER TAG`: takes the item's result. */
void jobs_read(struct batch *b, char *line);
/* GNU parallel: `start` runs the jobs, and takes the results; `clean` removes
 * what the hosts were sent. */
int jobs_parallel(struct batch *b, const char *what);

/*
 * judge.c: what came of an item, from the summaries of its filters in BASE.sum.
 */
void judge(const struct batch *b, struct item *i, const char *base);

/* report.c: for what comes of it this time. Of a folded text that is up to date
 * what is known of it stays. */
void item_begin(struct item *i);
/*
 * Takes what came of an item, and gives its outputs, which begin with BASE,
 * their names.
 */
void report_result(struct batch *b, struct item *i, const char *base);
/* It has no outputs. */
void report_failed(struct batch *b, struct item *i, const char *why);
/* The table of what is broken, and the summary; returns the exit status. */
int report_end(const struct batch *b);
/* --list and --dry-run. */
void report_list(const struct batch *b);

/* The name of a file for messages: as short as it can be. */
const char *path_name(const struct batch *b, const char *path);

#endif
