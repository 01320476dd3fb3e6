/* SPDX-License-Identifier: ISC */
/* From the options to a run: the files that they name, and the first line. */
#ifndef PREPARE_H
#define PREPARE_H

#include <stdbool.h>

#include "opt/opt.h"
#include "guest/backend.h"
#include "guest/osfile.h"
#include "run.h"

enum { BACKEND_RSP, BACKEND_GDB, BACKEND_QMP };

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

/*
 * Reads the OS file and the ELF files; *info gets the line that begins
 * the trace text. Returns -1 after a message.
 */
int prepare_files(struct options *o, struct buf *info);

/* Says what of the files could not be read, and frees all. */
void prepare_done(struct options *o);

#endif
