/* SPDX-License-Identifier: ISC */
/* Checks the options, reads the files, takes the samples, and reports. */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "opt/opt.h"
#include "guest/backend.h"
#include "os/osfile.h"

#define BACKENDS(X)                        \
	X(BACKEND_RSP, "rsp", backend_rsp) \
	X(BACKEND_GDB, "gdb", backend_gdb) \
	X(BACKEND_QMP, "qmp", backend_qmp)
enum { BACKENDS(OPT_ID) };

/*
 * When samples are due. The first one is due at once. Sample k after it falls
 * at a random place within an interval around start + k * step. So the mean
 * rate is kept, the cost of a sample does not stretch the period, and a guest
 * whose work repeats is not met in the same phase each time.
 */
struct pace {
	uint64_t start, step; /* ns of clock_now(); step 0: at once */
	uint64_t k;	      /* the number of the last sample given out */
	uint64_t missed;      /* samples left out: their time had passed */
	uint64_t seed;	      /* of this sequence of places */
	bool jitter;	      /* else all are at start + k * step */
};

/*
 * How much of the guest's time may be taken. Each stop is a debt, which the
 * time after it pays. One stop counts for a second at most.
 */
struct budget {
	double share; /* 0: all of it */
	double free;  /* ns of stops that need not be paid */
	double debt;  /* ns of stops */
	uint64_t at;  /* clock_now() of that */
};

struct run_options {
	const struct backend *backend;
	uint64_t samples;  /* 0: no limit */
	uint64_t duration; /* ns, 0: no limit */
	struct pace pace;  /* to begin with */
	double max_stop;   /* the share of the guest's time; 0: all */
	double free_stop;  /* ns of stops before that */
	bool quiet;
	struct buf info; /* the line that begins the trace text */
};

struct options {
	struct target target;
	struct run_options run;
	const char *remote, *output, *os;
	unsigned backend;
	struct opt_list elf;
	struct osfile osfile;
	bool one_shot, force;
	bool limited;  /* -n was given */
	bool paced;    /* -F or -i was given */
	bool bounded;  /* --max-stop was given */
	bool seeded;   /* --seed was given */
	bool has_gdb;  /* --gdb was given */
	bool has_base; /* --kernel-base was given */
};

/* -F, for a row of opt.h: samples per second, stored as an interval in ns. */
int frequency_option(void *interval, const char *arg, struct buf *err);

/* --max-stop, for a row of opt.h: a share of 1, from `3%` or `3`. */
int max_stop_option(void *share, const char *arg, struct buf *err);

/* Ends the command where options contradict each other. */
void prepare_options(struct options *o);

/* Reads the OS file and the ELF files. Returns -1 after a message. */
int prepare_files(struct options *o);

/* Samples until the limits or a signal. Returns the exit status. */
int run(const struct run_options *o, const struct target *t);

/* Says which parts of the files could not be read, and frees everything. */
void prepare_done(struct options *o);

/*
 * In pace.c: when the sample after the last one is due. If that time has
 * passed, it is due now. Samples whose whole interval has passed are left out.
 */
uint64_t pace_next(struct pace *p, uint64_t now);

/*
 * A stop of `ns` has just ended. Returns when the next sample may be taken, as
 * far as the share matters.
 */
uint64_t budget_next(struct budget *b, uint64_t now, uint64_t ns);

/*
 * In stats.c: how long the guest was stopped, counted in bounded memory. There
 * are 64 steps for each doubling, so a value is known to 1.6 %.
 */
/* The share of the guest's time that is taken by default. */
#define MAX_STOP 0.03

/*
 * How many ns of stops are free, since all samples of a boot of a second are
 * wanted.
 */
#define FREE_STOP 3e8

enum { STATS_STEPS = 64, STATS_BUCKETS = STATS_STEPS * 60 };

struct stats {
	uint64_t bucket[STATS_BUCKETS];
	uint64_t n, sum, max; /* ns */
};

void stats_add(struct stats *s, uint64_t ns);

/*
 * The value that a share of all, more than 0, do not exceed; 0 if there are
 * none.
 */
uint64_t stats_quantile(const struct stats *s, double share);

/* `412 us`, `3.1 ms`, `1.25 s` in text, which has room for 24 bytes. */
const char *stats_duration(uint64_t ns, char *text);

#endif
