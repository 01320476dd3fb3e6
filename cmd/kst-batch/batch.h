/* SPDX-License-Identifier: ISC */
/* A run of kst-batch: what was asked for, what is to be done, what came. */
#ifndef BATCH_H
#define BATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "items.h"
#include "job.h"
#include "steps.h"

struct options {
	const char *out, *merge, *by, *joblog, *hosts;
	struct steps steps;
	uint64_t jobs;	/* 0: as many as there are processors */
	uint64_t block; /* bytes; 0: captures are not taken apart */
	bool force, dry_run, list, quiet, send;
};

/* A sum of folded files: of the parts of a capture, a group, or all. */
struct sum {
	char *rel;	     /* its name in the log of what was made */
	char *folded, *svg;  /* to make; svg "" for none */
	struct words inputs; /* paths */
	uint64_t key;
	uint64_t size;	   /* of the inputs, to plan by */
	struct item *item; /* whose parts they are, or NULL */
	bool plain;
	bool waits; /* for an input that is to be made */
};

struct sums {
	struct sum *v;
	size_t n;
};

/* Which item, and which part of it, a unit of work is. */
struct unit_ref {
	struct item *item; /* NULL: a sum */
	struct sum *sum;
	uint64_t job;
	bool done;
};

struct batch {
	const struct options *o;
	struct items items;
	struct state *state;
	char *out; /* absolute */
	char *cwd;
	struct buf dir;	       /* of this run, below out */
	uint64_t key, svg_key; /* as in struct record */
	/* the jobs of this pass */
	struct unit_ref *units;
	size_t n_units, units_cap;
	uint64_t jobs, jobs_all, jobs_wide;
	uint64_t early; /* of the jobs, that do not wait for GNU parallel */
	struct buf job, job_list;
	uint64_t job_cost, cost_left, job_target, job_least;
	uint64_t work; /* of all captures to make, as item.work */
	/* counted */
	uint64_t to_make, bytes_to_make, made, bytes_made, faulty, failed;
	struct sums parts, sums;
	/* other machines */
	size_t n_hosts;
	int tries;	   /* that are left for lost jobs */
	bool remote;	   /* this pass runs on them */
	char send_dir[64]; /* on the hosts, for what they are sent */
	FILE *joblog;
	bool broken; /* a sum or a log could not be written */
	/* the line of progress */
	bool on_terminal, shown;
	double begin, drawn; /* seconds, 0: not yet */
};

/* run.c: does it, for the captures in the operands; the exit status. */
int batch_run(struct batch *b, char **operands, int n);

/* plan.c: sets why for each item. */
void plan_items(struct batch *b);

/* Puts the captures that are to be made into jobs. 0, or -1 with errno. */
int plan_jobs(struct batch *b);

/* sums.c: the sums of groups and of all, that are out of date. */
void sums_plan(struct batch *b);
/* Puts sums into jobs. */
int sums_jobs(struct batch *b, struct sums *s);
void sums_done(struct sums *s);
/* Appends an empty one. */
struct sum *sums_add(struct sums *s);
/* The name of the picture of a sum. */
void sums_svg_name(struct buf *svg, const char *folded);
/* Ends the command when --by is no expression. */
void sums_check_by(const char *by);

/* jobs.c: a pass: its jobs are begun, units added, run, results taken. */
void jobs_begin(struct batch *b, uint64_t bytes, uint64_t units);
int jobs_add(struct batch *b, struct unit *u, uint64_t bytes,
    const struct unit_ref *ref);
int jobs_run(struct batch *b);

/* parallel.c: the jobs of the pass, whose numbers are in the file `list`. */
int parallel_run(struct batch *b, const char *list);

/* hosts.c: writes the list of hosts that can take part; -1 with errno. */
int hosts_check(struct batch *b);
/* For GNU parallel: to be called in the process that becomes it. */
void hosts_environment(const struct batch *b);
void hosts_arguments(const struct batch *b, struct words *w);
void hosts_clean(const struct batch *b);
/* The steps as they are for a host that has none of our files. */
int hosts_send_steps(const struct batch *b, struct steps *to);
/* Puts the capture where GNU parallel sends it from. */
int hosts_send_unit(const struct batch *b, struct unit *u, uint64_t job);
/* Gives an output that came back its name; -1 with errno. */
int hosts_fetch_unit(const struct batch *b, uint64_t id, uint64_t job,
    const char *suffix, const char *to);

/* report.c */
void report_result(struct batch *b, struct result *r);
void report_clear(struct batch *b);
void report_progress(struct batch *b, bool last);
/* The table of what is broken, and the summary; returns the exit status. */
int report_end(struct batch *b);
void report_list(const struct batch *b);

/* The name of a file or an item for messages: as short as it can be. */
const char *path_name(const struct batch *b, const char *path);
const char *item_name(const struct batch *b, const struct item *i);

/* Set by a signal: the number. */
extern volatile int batch_signal;

#endif
