/* SPDX-License-Identifier: ISC */
/* One capture: all CPUs at one moment. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "guest/ends.h"

struct sample {
	struct buf text;   /* trace text, without the [kst-capture] line */
	uint64_t time;	   /* ns since the epoch when the guest stopped */
	uint64_t stop_ns;  /* for how long it was stopped */
	unsigned stacks;   /* CPUs with at least one frame, */
	unsigned booting;  /* those whose leaf is where firmware runs, */
	unsigned user;	   /* stacks ended where user mode begins, if known, */
	struct ends ends;  /* and those not unwound to their roots */
	const char *extra; /* further key=value words for that line, or NULL */
};

/* Empties it, for another capture. */
void sample_clear(struct sample *s);

/* Counts a stack by the address of its leaf; 0: not known. */
void sample_stack(struct sample *s, uint64_t pc);

/* Whether all CPUs are in the firmware, as after a reboot. */
bool sample_is_boot(const struct sample *s);

#endif
