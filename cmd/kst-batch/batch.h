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
	const char *out, *merge, *by, *joblog, *hosts;
	struct opt_list step_options; /* as given, until they are */
	struct steps steps;
	uint64_t jobs;	/* 0: as many as there are processors */
	uint64_t block; /* bytes; 0: captures are not split */
	bool force, dry_run, list, quiet, send;
};

/* Why an output is to be made; WHY_NOT: it is up to date. */
enum why { WHY_NOT, WHY_NEW, WHY_INPUT, WHY_OPTIONS, WHY_OUTPUT, WHY_FORCED };

/* What was made, as the state has it; a sum has a `rel` that begins with /. */
struct made {
	char *rel;	  /* NULL: nothing is known */
	uint64_t key;	  /* steps_key() of the folded text */
	uint64_t svg_key; /* and of the picture, 0: there is none */
	struct record rec;
};

/* A capture. */
struct item {
	char *path; /* to open, absolute */
	char *rel;  /* of the outputs, without .folded; points into path */
	uint64_t size, mtime;
	enum why why;
	bool draw_only; /* the folded text is up to date, the picture not */
	bool done, failed;
	uint64_t work;	  /* bytes of text, to share it out by: a guess */
	struct made made; /* last time; this time's when done */
};

struct items {
	struct item *v; /* sorted by rel */
	size_t n, cap;
	uint64_t unreadable; /* operands and folders that could not be read */
};

/* A sum of folded files: of the parts of a capture, a group, or all. */
struct sum {
	char *rel;	     /* its name in the state */
	char *folded, *svg;  /* to make; svg "" for none */
	struct words inputs; /* paths */
	uint64_t key;
	uint64_t size;	   /* of the inputs, in bytes */
	struct item *item; /* whose parts they are, or NULL */
	uint64_t lacking;  /* captures that have no folded text */
	bool plain;	   /* no line has two counts */
	bool waits;	   /* for an input that is to be made */
};

struct sums {
	struct sum *v;
	size_t n, cap;
};

/*
 * A unit of work. The kinds are words of the worker's script: small, text,
 * json, gzip, zstd and xz for captures, foreign for what no filter reads, draw
 * for a picture, sum and plain; part is for what GNU parallel splits.
 */
struct unit {
	const char *kind;
	struct item *item; /* NULL: a sum of captures */
	struct sum *sum;
	uint64_t job; /* its folder */
	bool done;
};

/* The job that is being put together. */
struct job {
	struct buf text;       /* its lines, as the worker reads them */
	uint64_t cost, left;   /* bytes in it, and in all that are to come */
	size_t small, n_small; /* units of kind small at its end */
	uint64_t small_bytes;
};

struct batch {
	const struct options *o;
	struct items items;
	struct state *state;
	char *cwd, *out;       /* out: absolute */
	struct buf dir;	       /* of this run, below out */
	uint64_t key, svg_key; /* as in struct made */
	struct sums parts, sums;
	/* the units of this pass, and its jobs */
	struct unit *units;
	size_t n_units, cap_units;
	uint64_t workers, jobs; /* jobs: of all passes */
	struct job job;
	uint64_t part_bytes; /* not 0: each result is one of a part */
	/* counted */
	uint64_t to_make, bytes_to_make, made, bytes_made, failed;
	size_t n_hosts;
	bool remote;	     /* this pass runs on other machines */
	char send_dir[64];   /* on the hosts, for what they are sent */
	bool unmade;	     /* a sum or the state could not be written */
	bool shown;	     /* the line of progress */
	double begin, drawn; /* seconds, 0: not yet */
};

/* run.c: does it, for the captures in the operands (NULL-ended); the exit
 * status. */
int batch_run(struct batch *b, char **operands);
void batch_done(struct batch *b);
/* Ends the command when the file is there, and not GNU parallel's log. */
void batch_check_log(const char *path);
/* Set by a signal: its number. */
extern volatile int batch_signal;

/*
 * find.c: an operand that is a folder stands for all regular files below it,
 * but for files and folders that the command writes itself, names that begin
 * with .kst-batch, and folders below it that have results of other runs. What
 * cannot be read is reported and counted. Ends the command when an operand is
 * its own, or two captures have the same output.
 */
void items_find(struct batch *b, char **operands);
void items_done(struct items *t);

/* state.c: what was made, OUT/.kst-batch/state. NULL with errno. */
struct state *state_open(const char *out, bool writable);
void state_load(struct state *s, struct items *t);
const struct made *state_find(const struct state *s, const char *rel);
/* Records it; -1 with errno. */
int state_put(struct state *s, const struct made *m);
void state_close(struct state *s);

/* plan.c: sets why for each item. */
void plan_items(struct batch *b);
/* Puts the captures that are to be made into jobs. 0, or -1 with errno. */
int plan_jobs(struct batch *b);

/* sums.c: the sums of groups and of all that are out of date. */
void sums_plan(struct batch *b);
/* Puts sums into jobs. */
int sums_jobs(struct batch *b, struct sums *s);
void sums_done(struct sums *s);
/* Appends an empty one. */
struct sum *sums_add(struct sums *s);
/* The name of the picture of a sum. */
void sums_svg_name(struct buf *svg, const char *folded);
/* The file of --merge, absolute, and its name in the state. */
void sums_merge_name(const struct batch *b, struct buf *path, struct buf *rel);
/* Ends the command when --by is not an expression. */
void sums_check_by(const char *by);

/* script.c: writes the script that GNU parallel runs for each job. */
int script_write(const struct batch *b, const struct steps *steps);

/*
 * jobs.c: a pass: its jobs are begun, units added, run, results taken. A unit
 * reads the file `path`. A job has a folder in which all names are numbers.
 */
void jobs_begin(struct batch *b, uint64_t bytes, uint64_t units);
int jobs_add(
    struct batch *b, const struct unit *u, const char *path, uint64_t bytes);
int jobs_run(struct batch *b);
/*
 * Runs the script by GNU parallel, which has `more` options (NULL-ended), with
 * `args`, and takes the results.
 */
int jobs_work(struct batch *b, const char *const *more, const char *args);
/* The same with a whole command line. */
int jobs_parallel(struct batch *b, const struct words *args);
/* DIR/JOB/UNIT, of this pass. */
void jobs_path(const struct batch *b, size_t unit, struct buf *path);

/*
 * parts.c: the lines with which a part of the capture may begin begin so, ""
 * for any line; NULL: it stays in one piece.
 */
const char *parts_border(const struct batch *b, const struct item *i);
/* Folds the parts, and adds the sum of them to b->parts. */
int parts_run(struct batch *b, struct item *i, const char *border);

/* hosts.c: counts the logins in --hosts. */
void hosts_read(struct batch *b);
/* For the process that becomes GNU parallel. */
void hosts_environment(const struct batch *b);
void hosts_arguments(const struct batch *b, struct words *w);
/* Removes what the hosts were sent. */
void hosts_clean(struct batch *b);
/* The steps with links in the run's folder in place of names of files. */
int hosts_send_steps(const struct batch *b, struct steps *to);

/*
 * judge.c: what came of a unit, from the summaries of its filters in BASE.sum.
 * r->what is to be freed.
 */
void judge(const struct batch *b, const struct unit *u, const char *base,
    struct record *r);

/*
 * report.c: takes what came of a unit, and gives its outputs, which begin with
 * BASE, their names; `base` is NULL if there are none.
 */
void report_result(
    struct batch *b, size_t unit, const char *base, struct record *r);
/* Takes what all parts of a capture said; it is done when their sum is. */
void report_parts(struct batch *b, struct item *i, const struct record *r);
void report_clear(struct batch *b);
void report_progress(struct batch *b);
/* The table of what is broken, and the summary; returns the exit status. */
int report_end(struct batch *b);
/* --list and --dry-run. */
void report_list(const struct batch *b);

/* The name of a file for messages: as short as it can be. */
const char *path_name(const struct batch *b, const char *path);

#endif
