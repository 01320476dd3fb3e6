/* SPDX-License-Identifier: ISC */
/* A run of kst-batch: its options, its items, their outcomes. */
#ifndef BATCH_H
#define BATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "opt/opt.h"
#include "opt/words.h"
#include "trace/shape.h"

/* A capture goes through these. */
enum { STEP_SYM, STEP_CLEAN, STEP_FOLD, STEP_SVG, STEPS };

struct options {
	const char *out, *merge, *joblog, *hosts;
	unsigned by;		      /* 1: a sum for each folder */
	struct opt_list step_options; /* for the steps, as given */
	struct words steps[STEPS]; /* name and options; none: not asked for */
	uint64_t jobs;		   /* 0: as many as there are processors */
	uint64_t block;		   /* bytes; 0: captures are not split */
	bool force, dry_run, list, quiet, send;
};

enum status {
	STATUS_OK,
	STATUS_BROKEN, /* the capture is damaged, its good part is folded */
	STATUS_FAILED  /* nothing was made; to be tried again next time */
};

/* The outcome of an item. */
struct outcome {
	uint64_t key;	  /* what the folded text depends on */
	uint64_t svg_key; /* and the picture, 0: there is none */
	uint64_t status;
	uint64_t size, mtime; /* of the capture, mtime in ns */
	uint64_t folded, svg; /* bytes made */
	uint64_t captures;    /* counted */
	uint64_t line;	      /* of the first fault, or 0 */
	char *what;	      /* the first fault, on the heap; NULL: none */
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
	bool partial;	   /* of a sum: not all captures could be found */
	uint64_t size, mtime;
	uint64_t key;
	enum why why;
	bool known;	/* `made` says what was made last */
	bool draw_only; /* the folded text is up to date, the picture not */
	bool done;	/* `made` is the outcome of this run */
	struct outcome made;
	/*
	 * How it is made, a word of the worker's script. Captures are small,
	 * text or json, or packed: gz, zst, xz, small.gz and so on, or foreign
	 * for what no filter reads; capture, round, thread and lines are split
	 * there. draw is a picture; add and plain are sums.
	 */
	const char *kind;
	const char *unpacker; /* NULL: not packed */
	bool splits;	      /* as the kind says */
	uint64_t work;	      /* bytes of text, to share it out by: a guess */
	uint64_t job;	      /* its folder */
};

struct items {
	struct item *v;
	size_t n, cap;
};

struct batch {
	const struct options *o;
	struct items items, sums; /* captures sorted by rel */
	struct intern *outputs;	  /* paths */
	struct intern *lacking;	  /* folders in which captures may be missing */
	uint64_t unreadable;	  /* files and folders that could not be read */
	struct state *state;
	char *cwd, *out;    /* absolute, as all paths */
	char *kst, *dir;    /* OUT/.kst-batch, in it the folder of this run */
	struct words texts; /* these but cwd, and the names of items */
	uint64_t key, svg_key;
	uint64_t workers;
	size_t n_hosts, n_slots; /* captures at a time on all of them */
	/* this pass: its items, whether it runs on other machines */
	struct item **pass;
	size_t n_pass;
	bool remote;
	uint64_t jobs; /* of all passes */
	bool unmade;   /* a sum or the state could not be written */
	bool bar;      /* GNU parallel shows how far it is */
	double begin;  /* seconds */
};

/* files.c ----------------------------------------------------------------- */

/* A text as by printf(), valid until the eighth call from now. */
const char *text_of(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Such a text of s; `%` and what utf8_is_shown() refuses are %XX. */
const char *text_encode(const char *s);

/* Reads to the end, and appends a NUL; -1 with errno. */
int file_read(const char *path, struct buf *b);
/* Writes a whole file, in place; -1 with errno. */
int file_write(const char *path, const char *p, size_t len);
/* Renames a file into a folder that is made if it has to be. */
int file_rename(const char *from, const char *to);
/* The size of a regular file; UINT64_MAX: there is none. */
uint64_t file_size(const char *path);
/* All folders above a file's name; 0, or -1 with errno. */
int make_parents(const char *path);

void items_done(struct items *t);
/* A name as the system takes it, and the shortest one for messages. */
const char *path_absolute(const struct batch *b, const char *name);
const char *path_name(const struct batch *b, const char *path);
/* The name of a sum's picture. */
const char *path_picture(const char *folded);
/* The name of the item's output, with the suffix .folded or .svg. */
const char *item_output(
    const struct batch *b, const struct item *i, const char *suffix);
/* Begins a new outcome, unless the folded text and what is known of it stay. */
void item_begin(struct item *i);
/* Takes a fault in that line, or 0, if it is worse than those before. */
void outcome_fault(struct outcome *r, enum status status, uint64_t line,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* find.c ------------------------------------------------------------------ */

/*
 * An operand that is a folder stands for all regular files below it, but for
 * files and folders that the command writes itself, names that begin with
 * .kst-batch, and folders below it that have results of other runs. What cannot
 * be read is reported and counted. Ends the command when an operand is its own,
 * or two captures have the same output.
 */
void items_find(struct batch *b, char **operands);

/* state.c: what was made, OUT/.kst-batch/state. -1 with errno. */
int state_open(const char *out, bool writable, struct state **state);
bool state_knows(const struct state *s, const char *rel);
/* Sets the item's last outcome. */
void state_load(const struct state *s, struct item *i);
/* Records what was made; -1 with errno. */
int state_put(struct state *s, const char *rel, const struct outcome *r);
void state_close(struct state *s);

/* plan.c: sets why. */
void plan_item(const struct batch *b, struct item *i);
/* Sets kind and work of what is to be made; -1 with errno. */
int plan_kind(const struct batch *b, struct item *i);
/* Finds the sums that are out of date and can be made. */
void sums_plan(struct batch *b);
/* The name of the sum of all captures in the state. */
const char *sums_merge_rel(const struct batch *b);

/* steps.c ----------------------------------------------------------------- */

/*
 * Asks for a step, such as fold, with the options in `text`, which xargs splits
 * into words: quotes and backslashes count, but nothing is ever expanded or
 * run. The same step may be given twice: the options add up. Returns -1 when a
 * quote is not closed.
 */
int steps_add(struct words *steps, const char *name, const char *text);

/* Appends a word for the shell, and a step with these options before its own.
 */
void buf_quote(struct buf *b, const char *s);
void steps_command(
    const struct words *step, const char *options, struct buf *b);

/* Filters beside this command are preferred to those on PATH. */
void steps_path(void);

/*
 * Tries a step, if it is asked for, on empty input or one stack, to find wrong
 * options before any work: those that it rejects, and those that make it read
 * or write other files. Ends the command then.
 */
void steps_check(const struct words *step);

/*
 * A hash of what the result of n steps depends on besides the capture: the
 * version, the options, and the contents of files that they name.
 */
uint64_t steps_key(const struct words *steps, int n);

/*
 * Whether the word names a file, by itself, as an option's argument or as
 * NAME@BASE, or, `shared`, a rule file in the share folder. Puts it in *path.
 */
bool steps_file(int step, const char *word, bool shared, struct buf *path);

/* Whether no line of folded text has two counts, as kst-fold is told. */
bool steps_plain(const struct words *steps);

/* Whether parts of a capture of that shape can be folded separately. */
bool steps_can_split(const struct words *steps, enum shape shape);

/* Others ------------------------------------------------------------------ */

/* script.c: counts the logins in --hosts. */
void hosts_read(struct batch *b);
/* Writes what GNU parallel and its jobs run. */
int script_write(const struct batch *b, uint64_t jobs);

/* Set by a signal: its number. */
extern volatile int batch_signal;

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
 * judge.c: an item's outcome, from the summaries of its filters in BASE.sum.
 */
void judge(const struct batch *b, struct item *i, const char *base);

/* report.c: takes an outcome, and gives the outputs, which begin with BASE,
 * their names. */
void report_result(struct batch *b, struct item *i, const char *base);
/* It has no outputs. */
void report_failed(struct batch *b, struct item *i, const char *why);
/* The table of what is broken, and the summary; returns the exit status. */
int report_end(const struct batch *b);
/* --list and --dry-run, which tells what --hosts would cost. */
void report_list(const struct batch *b);
void report_cost(const struct batch *b);
/* Seconds on a clock. */
double batch_now(void);

/* run.c: does it, for the captures in the operands (NULL-ended); the exit
 * status. */
int batch_run(struct batch *b, char **operands);
void batch_done(struct batch *b);
/* Whether the file is GNU parallel's log, or not there. */
bool batch_is_log(const char *path);

#endif
