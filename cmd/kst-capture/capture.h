/* SPDX-License-Identifier: ISC */
/* Checks the options, reads the files, takes the samples, and reports. */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "opt/opt.h"
#include "guest/backend.h"
#include "guest/osfile.h"

enum { BACKEND_RSP, BACKEND_GDB, BACKEND_QMP };

struct run_options {
	const struct backend *backend;
	uint64_t samples;  /* 0: no limit */
	uint64_t duration; /* ns, 0: no limit */
	uint64_t interval; /* ns */
	uint64_t seed;	   /* of the places of samples in their intervals, */
	bool jitter;	   /* if those are random */
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
	bool seeded;   /* --seed was given */
	bool has_gdb;  /* --gdb was given */
	bool has_base; /* --kernel-base was given */
};

/* -F, for a row of opt.h: samples a second as an interval in ns. */
int frequency_option(void *interval, const char *arg, struct buf *err);

/* Ends the command where options contradict each other. */
void prepare_options(struct options *o);

/* Reads the OS file and the ELF files. Returns -1 after a message. */
int prepare_files(struct options *o);

/* Samples until the limits or a signal. Returns the exit status. */
int run(const struct run_options *o, const struct target *t);

/* Says what of the files could not be read, and frees all. */
void prepare_done(struct options *o);

#endif
