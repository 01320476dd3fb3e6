/* SPDX-License-Identifier: ISC */
/* One capture, all CPUs at one moment, and what is counted of it. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "unwind/unwind.h"

/* How many stacks were not unwound to their ends, and why. */
enum { ENDS_KINDS = UNWIND_LIMIT - UNWIND_UNPROVEN };

struct ends {
	uint64_t n[ENDS_KINDS], all;
};

struct sample {
	struct buf text;   /* trace text, without the [kst-capture] line */
	uint64_t time;	   /* ns since the epoch when the guest stopped */
	uint64_t stop_ns;  /* for how long it was stopped */
	uint64_t slide;	   /* how much higher than in its file the kernel is */
	unsigned stacks;   /* CPUs with at least one frame, */
	unsigned booting;  /* those whose leaf is where firmware runs, */
	unsigned user;	   /* stacks ended where user mode begins, if known, */
	unsigned unproven; /* those whose roots nothing proves, */
	struct ends ends;  /* and those not unwound to their roots */
	uint64_t frames;   /* of code, not of firmware or interrupts; */
	uint64_t named;	   /* those with a name */
};

/* Empties it, for another capture. */
void sample_clear(struct sample *s);

/*
 * Counts a stack by the address of its leaf, 0: not known, or a program's.
 * `early`: no kernel was there yet.
 */
void sample_stack(struct sample *s, uint64_t pc, bool early);

/*
 * Whether QEMU's machines (pc, q35, virt) begin there, or have firmware there,
 * for an e_machine.
 */
bool sample_firmware(unsigned machine, uint64_t pc);

/* Whether all CPUs are in the firmware, as after a reboot. */
bool sample_is_boot(const struct sample *s);

/* Counts a stack that is truncated, and says why in a line (kst-trace(5)). */
void ends_line(struct ends *e, const struct unwind_stack *st, struct buf *text);

/* Counts a stack by such a line. */
void ends_note(struct ends *e, const char *line, size_t len);

void ends_add(struct ends *to, const struct ends *e);

/* ` truncated=12 truncated-memory=12`: those that there are. */
void ends_put(const struct ends *e, struct buf *b);

/* `12 memory that cannot be read, 3 …` */
void ends_words(const struct ends *e, struct buf *b);

#endif
