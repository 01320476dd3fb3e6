/* SPDX-License-Identifier: ISC */
/*
 * One capture in memory, the stack of each CPU: read from OSDK's JSON and
 * written as trace text, or the other way.
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
 * empties it. CPUs are sorted; of two stacks of one CPU the later stays, as in
 * JSON.
 */
void capture_put(struct capture *c, bool json);

/*
 * The profile that Asterinas' `cargo osdk profile` keeps as JSON:
 *
 *	{"stack_traces":[{"CPU":["leaf","caller",...],...},...]}
 *
 * Keys are CPU numbers, in any order; other fields beside stack_traces are
 * ignored. Writes the document in the file as trace text: a signs_reader for a
 * struct capture.
 */
const char *osdk_read(void *capture, struct in *in);

/* Captures of trace text; zeroed but for capture.cpus. */
struct collect {
	struct capture capture;
	struct stacks in;   /* after stacks_init() */
	uint64_t no_cpu;    /* stacks without a CPU: left out */
	uint64_t too_large; /* frames beyond a capture's limits: left out */
	/* private */
	bool begun; /* there is a capture, maybe an empty one */
	bool is_wanted;
	size_t stack; /* where the stack's text begins */
};

/* Writes what is left of the file as JSON: a signs_reader. */
const char *collect_trace(void *collect, struct in *in);

#endif
