/* SPDX-License-Identifier: ISC */
/*
 * One capture in memory, the stack of each CPU: read from OSDK's JSON and
 * written as trace text, or the other way round.
 */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "text/cpus.h"
#include "trace/stacks.h"

/* Limits of one capture. */
enum {
	CAPTURE_TEXT_MAX = 64 << 20, /* bytes of names */
	CAPTURE_FRAMES_MAX = 1 << 22,
	CAPTURE_STACKS_MAX = 1 << 16
};

struct cap_stack {
	uint32_t cpu;
	size_t at, len; /* its frames in text, leaf first */
};

/* Zeroed but for the CPUs. */
struct capture {
	struct cpus *cpus; /* those that are wanted */
	struct cap_stack *stacks;
	size_t n_stacks, cap_stacks;
	uint64_t n_frames, names;      /* bytes of these */
	struct buf text;	       /* all frames, as they are written */
	uint64_t time;		       /* ms since 1970; 0: not known */
	uint64_t captures, stacks_put; /* that were written */
	struct buf scratch;
};

void capture_done(struct capture *c);

/* Begins a stack; false if the limits do not allow one more. */
bool capture_stack(struct capture *c, uint32_t cpu);

/* Counts a frame, which the caller appends to the text; or false, too. */
bool capture_frame(struct capture *c, size_t name_len);

/*
 * Writes the capture as trace text, or as a JSON object of an array, and
 * empties it. CPUs are sorted. If a CPU has two stacks, the later one is
 * written, as in JSON.
 */
void capture_put(struct capture *c, bool json);

#endif
