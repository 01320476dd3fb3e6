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

struct json;

/* Limits of one capture. */
enum {
	CAPTURE_TEXT_MAX = 64 << 20, /* bytes of names */
	CAPTURE_FRAMES_MAX = 1 << 22,
	CAPTURE_STACKS_MAX = 1 << 16
};

struct cap_stack {
	uint32_t cpu;
	size_t first, n; /* its frames, leaf first */
};

struct cap_frame {
	size_t at, len; /* in text */
};

struct capture {
	struct cap_stack *stacks;
	struct cap_frame *frames;
	size_t n_stacks, n_frames;
	struct buf text;   /* of all names; append, then capture_frame() */
	struct cpus *cpus; /* those that are wanted */
	uint64_t captures, stacks_put; /* that were written */
	/* private */
	size_t cap_stacks, cap_frames;
	struct buf line;
};

/* The struct begins zeroed but for the CPUs. */
void capture_done(struct capture *c);

/* Begins a stack, to which capture_frame() adds. */
void capture_stack(struct capture *c, uint32_t cpu);

/* The text from `at` on is the next frame's name, rootward. */
void capture_frame(struct capture *c, size_t at);

/* Whether the limits allow so many stacks and frames more. */
bool capture_has_room(const struct capture *c, size_t stacks, size_t frames);

/*
 * Writes the capture as trace text, or as a JSON object of an array, and
 * empties it. CPUs are sorted; of two stacks of one CPU the later stays, as in
 * JSON.
 */
void capture_put_trace(struct capture *c);
void capture_put_json(struct capture *c);

/*
 * The profile that Asterinas' `cargo osdk profile` keeps as JSON:
 *
 *	{"stack_traces":[{"CPU":["leaf","caller",...],...},...]}
 *
 * Keys are CPU numbers, in any order; other fields beside stack_traces are
 * ignored. Writes such a document as trace text; returns false when the JSON is
 * wrong from json_offset() on.
 */
bool osdk_read(struct json *j, struct capture *c);

/* Captures of trace text; zeroed but for capture.cpus. */
struct collect {
	struct capture capture;
	struct stacks in;   /* after stacks_init() */
	uint64_t no_cpu;    /* stacks without a CPU: left out */
	uint64_t too_large; /* frames beyond a capture's limits: left out */
	/* private */
	bool begun; /* there is a capture, maybe an empty one */
	bool is_wanted;
};

/* Writes what is left of the current file as JSON. */
void collect_trace(struct collect *c, struct in *in);

struct options {
	struct cpus cpus;
	bool to_json, verbose;
};

/* In run.c: reads the files and reports. Returns the exit status. */
int run(struct options *opt, char **files, int n_files);

#endif
