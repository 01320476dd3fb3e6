/* SPDX-License-Identifier: ISC */
/* Reads the input, and shows the table of functions. */
#ifndef TOP_H
#define TOP_H

#include "opt/opt.h"
#include "profile/meanwhile.h"
#include "rank.h"
#include "screen.h"
#include "trace/shape.h"
#include "trace/trace.h"

struct fold;
struct table;

#define BYS(X)                \
	X(BY_NOTHING, "none") \
	X(BY_CPUS, "cpu")     \
	X(BY_STATES, "state") \
	X(BY_ROOTS, "root")
enum by { BYS(OPT_ID) };
enum format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON };

struct options {
	struct rank_view view;
	enum by by;
	enum format format;
	enum shape shape;
	uint64_t limit;
	double min;
	bool has_limit, all;
	struct patterns meanwhile; /* --while */
	bool no_asleep; /* view.ignore is threads asleep since the start */
	enum trace_state state; /* STATE_UNKNOWN: all */
	/* a guest to sample, with its kernel and programs */
	struct opt_list elf;
	const char *remote;
};

/* run.c: returns the exit status. */
int run(struct options *o, char **operands, int n);

/* show.c: the table for people, CSV, JSON. */
struct show {
	const struct rank *rank;
	const char *unit;
	uint64_t stops; /* captures; 0: not known */
	/* millions of instructions in which it happened; 0: not known */
	double millions;
	/* names with a colour of their own, NULL: no name has one */
	struct rx *idle, *user;
	size_t width; /* of the terminal; 0: names are not cut */
	/* a part of the lines: from `skip` on, at most `lines` */
	size_t skip, lines;
	const char *eol; /* after each line */
};

/* Takes the captures from what was read. */
void show_stops(struct show *s, const struct fold *f);

void show_text(const struct show *s);
void show_csv(const struct show *s);
void show_json(const struct show *s);

/* How many lines show_text() could write. */
size_t show_lines(const struct show *s);

/*
 * none.c: says why no stack is shown: no function matches the pattern of an
 * option, with names like it, or the options leave out all stacks.
 */
void none_say(const struct options *o, const struct table *t);

/* idle.c: functions in which a CPU is idle. */
struct idle {
	struct rx *rx;
	/* private */
	uint8_t *known; /* by name: whether it matches */
	size_t known_cap;
};

/*
 * The share, 0 to 1, of stacks that are below the state halted; if there are
 * none, of those that end in such a function.
 */
double idle_share(struct idle *idle, const struct table *t);
void idle_done(struct idle *idle);

/* live.c: what is on the screen while a pipe is read, and what its keys do. */
struct live {
	struct screen screen;
	struct show *show;
	struct rank_view *view;
	struct rank *rank;
	const struct fold *fold;
	bool has_states;  /* the second root frame of each stack is one */
	struct idle idle; /* where that is not so */
	bool ended;	  /* all input was read */
	bool quit;	  /* the user has ended the command */
	/* private */
	struct rx *filter;
	char typed[64], wrong[80];
	size_t n_typed, skip;
	bool typing; /* the filter's pattern */
	uint64_t last_captures;
	int64_t last_time; /* in ms */
	double rate;
};

/* Takes the terminal, if there is one; false if not. */
bool live_begin(struct live *l, struct in *in);
/*
 * Shows the table until the user ends the command; then the terminal is
 * restored.
 */
void live_end(struct live *l);

#endif
