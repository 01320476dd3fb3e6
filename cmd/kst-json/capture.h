/* SPDX-License-Identifier: ISC */
/* One capture: the stack of each CPU, in memory, and its two ways out. */
#ifndef CAPTURE_H
#define CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* What one capture may have at most. */
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
	struct buf text; /* of all names; append, then capture_frame() */
	/* private */
	size_t cap_stacks, cap_frames;
	struct buf line;
};

/* The struct begins zeroed. */
void capture_done(struct capture *c);
void capture_clear(struct capture *c);

/* A stack begins; it is the one that capture_frame() adds to. */
void capture_stack(struct capture *c, uint32_t cpu);

/* The text from `at` on is the next frame's name, rootward. */
void capture_frame(struct capture *c, size_t at);

/* Whether the limits allow so many stacks and frames more. */
bool capture_has_room(const struct capture *c, size_t stacks, size_t frames);

/*
 * CPUs in ascending order; of two stacks of one CPU the later is kept, as in
 * a JSON object.
 */
void capture_sort(struct capture *c);

/* Writes the sorted capture as trace text, or as a JSON object. */
void capture_put_trace(struct capture *c, uint64_t seq);
void capture_put_json(struct capture *c);

#endif
