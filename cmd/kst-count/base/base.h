/* SPDX-License-Identifier: ISC */
/*
 * --base: the command is counted twice, as it is and with another kernel in the
 * place of its own, and kst-diff compares what calls cost.
 */
#ifndef BASE_H
#define BASE_H

#include <stdbool.h>
#include <stdint.h>

#include "opt/opt.h"

/* The options of kst-count that both runs get; NULL or 0: not given. */
struct base_ask {
	const char *other; /* the other kernel's file */
	const char *with;  /* a command that starts it; or NULL */
	char *const *command;
	const struct opt_list *elf;
	const char *output; /* NAME.folded, beside which the counts stay */
	const char *in, *from, *until, *serial;
	uint64_t limit;	   /* instructions */
	uint64_t duration; /* ns */
	bool icount, force, lines;
};

/* Prints what kst-diff says. Returns an exit status. */
int base_run(const struct base_ask *o);

#endif
