/* SPDX-License-Identifier: ISC */
/* A run of kst-batch: its options, its items, their outcomes. */
#ifndef BATCH_H
#define BATCH_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "opt/opt.h"
#include "opt/words.h"
#include "trace/shape.h"

/* The steps of a capture, in their order. */
enum { STEP_SYM, STEP_CLEAN, STEP_FOLD, STEP_SVG, STEPS };

struct options {
	const char *out, *merge, *joblog, *hosts;
	const char *work;	      /* on a host: the folder of its job */
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
	STATUS_FAILED  /* nothing was made; tried again in the next run */
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

/* Why an output must be made; WHY_NOT: it is up to date. */
enum why { WHY_NOT, WHY_NEW, WHY_INPUT, WHY_OPTIONS, WHY_OUTPUT, WHY_FORCED };

/* An output of a capture or of a sum: folded text and perhaps a picture. */
struct item {
	char *path;  /* absolute: the capture, or the sum itself */
	char *rel;   /* its name in the state; of a capture, below OUT, without
			.folded; of a sum, with / before it */
	bool is_sum; /* of folded files: of a group, or of all */
	struct buf inputs; /* of a sum: paths, each with a NUL after it */
	uint64_t lacking;  /* of a sum: captures that have no folded text */
	bool partial;	   /* of a sum: not all captures could be found */
	bool plain;	   /* of a sum: no line has two counts */
	uint64_t size, mtime;
	uint64_t key;
	enum why why;
	bool known;	/* `made` says what was made last */
	bool draw_only; /* the folded text is up to date, the picture is not */
	bool done;	/* `made` is the outcome of this run */
	struct outcome made;
	uint64_t work; /* bytes of text: a guess, but of a sum */
	uint64_t job;  /* the number of its folder, for hosts */
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
	struct state *state;	  /* NULL on a host */
	char *cwd, *out;	  /* absolute, as all paths */
	char *kst, *dir;    /* OUT/.kst-batch, in it the folder of this run */
	struct words texts; /* these but cwd, and the names of items */
	uint64_t key, svg_key;
	size_t workers;
	size_t n_hosts, n_slots; /* captures at a time on all of them */
	size_t n_pass, n_done;	 /* items of this pass */
	bool remote;		 /* made on hosts */
	char *tag;		 /* on a host: of this attempt, or NULL */
	bool gone;		 /* nobody takes what is made */
	bool unmade;		 /* a sum or the state could not be written */
	bool bar;		 /* shows on the terminal how far it is */
	double begin;		 /* seconds */
};

/* files.c ----------------------------------------------------------------- */

/* A text made as by printf(), valid until the eighth call from now. */
const char *text_of(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/*
 * A text of s, valid as long, in which `%` and what utf8_is_shown() refuses are
 * %XX.
 */
const char *text_encode(const char *s);

/* Reads to the end, and appends a NUL. Returns 0, or -1 with errno. */
int file_read(const char *path, struct buf *b);
/* Writes a whole file, in place. Returns 0, or -1 with errno. */
int file_write(const char *path, const char *p, size_t len);
/* Renames a file into a folder, which is made if it does not exist. */
int file_rename(const char *from, const char *to);
/* The size of a regular file; UINT64_MAX if it does not exist. */
uint64_t file_size(const char *path);
/* Makes all folders above a file's name. Returns 0, or -1 with errno. */
int make_parents(const char *path);

void items_done(struct items *t);
/* A name for system calls, and the shortest one for messages. */
const char *path_absolute(const struct batch *b, const char *name);
const char *path_name(const struct batch *b, const char *path);
/* The name of a sum's picture. */
const char *path_picture(const char *folded);
/* The name of the item's output, with the suffix .folded or .svg. */
const char *item_output(
    const struct batch *b, const struct item *i, const char *suffix);
/*
 * Begins a new outcome, unless the folded text and what is known about it are
 * kept.
 */
void item_begin(struct item *i);
/*
 * Records a fault in that line (0: no line), if it is worse than those before.
 */
void outcome_fault(struct outcome *r, enum status status, uint64_t line,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* find.c ------------------------------------------------------------------ */

/*
 * Finds the captures. An operand that is a folder stands for all regular files
 * below it. Left out are files and folders that the command writes itself,
 * names that begin with .kst-batch, and folders with results of other runs.
 * What cannot be read is reported and counted. The command ends if an operand
 * is its own, or if two captures have the same output.
 */
void items_find(struct batch *b, char **operands);

/*
 * state.c: what was made, kept in OUT/.kst-batch/state. Return 0, or -1 with
 * errno.
 */
int state_open(const char *out, bool writable, struct state **state);
bool state_knows(const struct state *s, const char *rel);
/* Sets the item's last outcome. */
void state_load(const struct state *s, struct item *i);
/* Records what was made. Returns 0, or -1 with errno. */
int state_put(struct state *s, const char *rel, const struct outcome *r);
void state_close(struct state *s);
/*
 * An outcome as text without a newline, and such text as an outcome; false if
 * it is none.
 */
const char *outcome_text(const struct outcome *r);
bool outcome_parse(const char *text, struct outcome *r);

/* plan.c: sets why outputs must be made, and how much work that is. */
void plan_item(const struct batch *b, struct item *i);
/* Finds the sums that are not up to date and can be made. */
void sums_plan(struct batch *b);
/* The name of the sum of all captures in the state. */
const char *sums_merge_rel(const struct batch *b);

/* steps.c ----------------------------------------------------------------- */

/*
 * Asks for a step, such as fold, with the options in `text`. They are split
 * into words as xargs does it: quotes and backslashes count, but nothing is
 * ever expanded or run. If the same step is given twice, the options add up.
 * Returns -1 when a quote is not closed.
 */
int steps_add(struct words *steps, const char *name, const char *text);

/* Appends a word for the shell. */
void buf_quote(struct buf *b, const char *s);

/* Prefers filters in this command's folder to those on PATH. */
void steps_path(void);

/*
 * Tries a step, if it is asked for, on empty input or one stack, to find wrong
 * options before any work: those that the step rejects, and those that make it
 * read or write other files. If one is wrong, the command ends.
 */
void steps_check(const struct words *step);

/*
 * A hash of everything that the result of n steps depends on, except the
 * capture: the version, the options, and the contents of files that the options
 * name.
 */
uint64_t steps_key(const struct words *steps, int n);

/*
 * Whether the word names a file: by itself, as an option's argument, as
 * NAME@BASE or, if `shared`, as a rule file in the share folder. Puts it in
 * *path.
 */
bool steps_file(int step, const char *word, bool shared, struct buf *path);

/* Whether no line of folded text has two counts, which kst-fold is told. */
bool steps_plain(const struct words *steps);

/* Whether parts of a capture of that shape can be folded separately. */
bool steps_can_split(const struct words *steps, enum shape shape);

/* task.c ------------------------------------------------------------------ */

/* A process of a task, and the line in which it says what it has read. */
struct proc {
	pid_t pid;	  /* 0: none, or it has ended */
	int status, from; /* as a shell gives it; a pipe with the line */
};

enum { UNPACK, JSON, FOLD, DRAW, PROCS };

/* An item that is being made: a file in pieces, which filters read. */
struct task {
	struct item *i;
	char *base; /* of its files in the run's folder */
	enum { READING, ADDING, TO_DRAW, DRAWING } at;
	char *const *unpacker; /* NULL: not packed */
	bool json, foreign;
	bool empty;	      /* no stack was in it */
	enum shape shape;     /* of its pieces; SHAPE_AUTO: it is whole */
	size_t n, next, left; /* pieces; to be handed out; to be done */
	size_t *again, n_again, cap_again; /* pieces, once more */
	uint64_t *cut;			   /* n + 1 offsets */
	struct buf *said;		   /* by filters, of each piece */
	struct buf other;		   /* by the processes of this task */
	struct outcome as_text;		   /* before it was read as JSON */
	struct proc proc[PROCS];
};

/*
 * look.c: finds out what the file is, and its pieces. Returns 0, or -1 with
 * errno.
 */
int task_look(struct task *t, const struct batch *b);
/* Begins an item, with that number; NULL with errno. */
struct task *task_begin(struct batch *b, struct item *i, size_t number);
/* Takes a piece to hand out; false if there is none. */
bool task_piece(struct task *t, size_t *piece);
/*
 * Sets what filters read of a piece, and where they write. Returns 0, or -1
 * with errno.
 */
int task_input(struct task *t, size_t piece);
int task_output(const struct task *t, size_t piece);
/* Puts a piece back, to be handed out again. */
void task_again(struct task *t, size_t piece);
/* Goes on after what has ended; true if the item is done. */
bool task_step(struct batch *b, struct task *t, bool may_draw);
/* Ends its processes. */
void task_free(struct task *t);

/* lane.c: resident filters, one after the other, that read pieces. ---------*/

struct lane;

struct lane *lane_new(const struct batch *b);
/* Ends the filters. */
void lane_free(struct lane *l);
/* Whether the lane takes a piece of this task now. */
bool lane_takes(const struct lane *l, const struct task *t);
bool lane_busy(const struct lane *l);
/* Gives the lane a piece. */
void lane_give(struct lane *l, struct task *t, size_t piece);
/* Whether the lane works on the task. */
bool lane_has(const struct lane *l, const struct task *t);
/* Adds the descriptors to be polled; then reads what filters have said. */
size_t lane_poll(const struct lane *l, struct pollfd *p);
void lane_step(struct lane *l);

/* Others ------------------------------------------------------------------ */

/* pass.c: makes items on this machine. */
void pass_run(struct batch *b, struct item **v, size_t n);

/* hosts.c: counts the logins in --hosts. */
void hosts_read(struct batch *b);
/*
 * Makes items on hosts, until no host takes any more. Returns 0, or -1 with
 * errno.
 */
int hosts_run(struct batch *b, struct item **v, size_t n);
/* A host's line, `NUMBER TAG OUTCOME`. */
void hosts_take(struct batch *b, struct item **v, size_t n, char *line);
/* On a host: does a job; returns the exit status. */
int hosts_work(struct batch *b);

/* judge.c: sets an item's outcome, from what its processes said. */
void judge(const struct batch *b, struct task *t);
/* Sets the outcome of the picture, by the status of kst-svg. */
void judge_picture(struct outcome *r, int status);

/*
 * report.c: takes an outcome, and gives the outputs, which begin with BASE,
 * their names.
 */
void report_result(struct batch *b, struct item *i, const char *base);
/* Takes the outcome of an item that has no outputs. */
void report_failed(struct batch *b, struct item *i, const char *why);
/*
 * Prints the table of what is broken, and the summary; returns the exit status.
 */
int report_end(const struct batch *b);
/*
 * Prints what --list and --dry-run ask for, and what the plan costs, by what
 * was measured before.
 */
void report_list(const struct batch *b);
void report_cost(const struct batch *b);
/* Records how long items took on this machine, since that CPU time. */
void report_measured(struct batch *b, struct item **v, size_t n, double since);
/* Seconds of a clock, and of CPU time. */
double batch_now(void);
double batch_cpu(void);

/*
 * run.c: runs the command for the captures in the operands (NULL-ended);
 * returns the exit status.
 */
int batch_run(struct batch *b, char **operands);
void batch_done(struct batch *b);
/* Whether the file is GNU parallel's log, or does not exist. */
bool batch_is_log(const char *path);

#endif
