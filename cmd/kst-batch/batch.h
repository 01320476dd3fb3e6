/* SPDX-License-Identifier: ISC */
/* A run of kst-batch: what was asked for, what is to be done, what came. */
#ifndef BATCH_H
#define BATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/opt.h"
#include "job.h"
#include "steps.h"

struct options {
	const char *out, *merge, *by, *joblog, *hosts;
	const char *job; /* this is a worker: the folder of its run */
	struct opt_list step_options; /* as given, until they are */
	struct steps steps;
	uint64_t jobs;	/* 0: as many as there are processors */
	uint64_t block; /* bytes; 0: captures are not taken apart */
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
	uint64_t work;	/* bytes of text, to share it out by: a guess */
	struct record *parts; /* if it is taken apart */
	uint32_t n_parts, parts_done;
	bool done, failed;
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
	bool plain;
	bool waits; /* for an input that is to be made */
};

struct sums {
	struct sum *v;
	size_t n, cap;
};

/* What a unit of work is of. */
struct todo {
	struct item *item; /* NULL: a sum of captures */
	struct sum *sum;
	uint32_t part;
	uint64_t job;
	bool done;
};

struct batch {
	const struct options *o;
	struct items items;
	struct state *state;
	char *cwd, *out;       /* out: absolute */
	struct buf dir;	       /* of this run, below out */
	uint64_t key, svg_key; /* as in struct made */
	struct sums parts, sums;
	/* the jobs of this pass */
	struct todo *todo;
	size_t n_todo, todo_cap;
	uint64_t workers, jobs, jobs_all;
	struct buf job, job_list;
	uint64_t job_cost, cost_left;
	/* counted */
	uint64_t to_make, bytes_to_make, made, bytes_made, failed;
	/* other machines */
	size_t n_hosts;
	int tries;	   /* that are left for lost jobs */
	bool remote;	   /* this pass runs on them */
	char send_dir[64]; /* on the hosts, for what they are sent */
	FILE *joblog;
	bool unmade;	     /* a sum or a log could not be written */
	bool shown;	     /* the line of progress */
	double begin, drawn; /* seconds, 0: not yet */
};

/* run.c: does it, for the captures in the operands (NULL-ended); the exit
 * status. */
int batch_run(struct batch *b, char **operands);
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

/* jobs.c: a pass: its jobs are begun, units added, run, results taken. */
void jobs_begin(struct batch *b, uint64_t bytes, uint64_t units);
int jobs_add(
    struct batch *b, struct unit *u, uint64_t bytes, const struct todo *todo);
int jobs_run(struct batch *b);

/* group.c: forks a child whose descendants end when this process ends. */
pid_t group_fork(void);

/* hosts.c: finds the hosts that can take part; -1 with errno. */
int hosts_check(struct batch *b);
/* For GNU parallel: to be called in the process that becomes it. */
void hosts_environment(const struct batch *b);
void hosts_arguments(const struct batch *b, struct words *w);
void hosts_clean(const struct batch *b);
/* The steps as they are for a host that has none of our files. */
int hosts_send_steps(const struct batch *b, struct steps *to);
/* Puts the capture where GNU parallel sends it from. */
int hosts_send_unit(const struct batch *b, const struct unit *u, uint64_t job);
/* Gives an output that came back its name; -1 with errno. */
int hosts_fetch_unit(const struct batch *b, uint64_t id, uint64_t job,
    const char *suffix, const char *to);

/* report.c: takes what came of a unit of this pass. */
void report_result(
    struct batch *b, uint64_t id, const char *host, struct record *r);
void report_clear(struct batch *b);
void report_progress(struct batch *b);
/* The table of what is broken, and the summary; returns the exit status. */
int report_end(struct batch *b);
/* --list and --dry-run. */
void report_list(const struct batch *b);

/* The name of a file for messages: as short as it can be. */
const char *path_name(const struct batch *b, const char *path);

#endif
