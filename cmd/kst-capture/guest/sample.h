/* SPDX-License-Identifier: ISC */
/* One capture, all CPUs at one moment, and the counts of it. */
#ifndef SAMPLE_H
#define SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "unwind/unwind.h"

/* What is counted, in a sample and of all. */
enum count {
	COUNT_STACKS,	 /* CPUs with at least one frame, */
	COUNT_BOOTING,	 /* those whose leaf is where firmware runs, */
	COUNT_USER,	 /* those from user mode, or ended where it begins, */
	COUNT_UNPROVEN,	 /* those whose roots nothing proves, */
	COUNT_HANDLER,	 /* those that end at a handler (UNWIND_HANDLER), */
	COUNT_PANICKED,	 /* samples with a CPU in the kernel's panic(), */
	COUNT_REBOOTS,	 /* and, of all samples, how often it began anew */
	COUNT_TRUNCATED, /* those not unwound to their ends, */
	COUNT_END,	 /* and these by enum unwind_end, from UNWIND_LOOP on */
	/* Frames of code, not of firmware or interrupts; those with a name. */
	COUNT_FRAMES = COUNT_END + UNWIND_LIMIT - UNWIND_UNPROVEN,
	COUNT_NAMED,
	COUNTS
};

struct sample {
	struct buf text;  /* trace text, without the [kst-capture] line */
	uint64_t time;	  /* ns since the epoch when the guest stopped */
	uint64_t stop_ns; /* for how long it was stopped */
	bool by_clock;	  /* that is what a clock of the guest lost */
	bool rebooted;	  /* QEMU has said so since the sample before */
	uint64_t slide;	  /* how much higher than in its file the kernel is */
	uint64_t n[COUNTS];
};

/* Empties it, for another capture. */
void sample_clear(struct sample *s);

/*
 * Counts a stack by where its CPU is; 0: unknown, or not as after a reset.
 * `early`: no kernel was there yet.
 */
void sample_stack(struct sample *s, uint64_t pc, bool early);

/*
 * Whether QEMU's machines (pc, q35, virt) for an e_machine start at that
 * address, or have firmware there.
 */
bool sample_firmware(unsigned machine, uint64_t pc);

/* Whether all CPUs are in the firmware, as after a reboot. */
bool sample_is_boot(const struct sample *s);

/* Counts a stack that is truncated, and says why in a line (kst-trace(5)). */
void ends_line(struct sample *s, const struct unwind_stack *st);

/* Counts a stack by such a line. */
void ends_note(uint64_t *n, const char *line, size_t len);

/* ` panicked=7 truncated=12 truncated-memory=12`: the counts that are not 0. */
void ends_put(const uint64_t *n, struct buf *b);

/* `12 memory that cannot be read, 3 …`, into an empty buffer. */
void ends_words(const uint64_t *n, struct buf *b);

/* Says that the kernel has given up, or begun anew, of so many samples. */
void ends_say(const uint64_t *n, uint64_t samples);

#endif
