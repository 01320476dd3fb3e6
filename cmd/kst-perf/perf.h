/* SPDX-License-Identifier: ISC */
/*
 * What perf script prints, with any of its fields:
 *
 *	bash 1234/1235 [000] 5123.456789:     250000 cpu-clock:ppp:
 *		ffffffff81000000 do_idle+0x1a ([kernel.kallsyms])
 */
#ifndef PERF_H
#define PERF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "io/fault.h"
#include "io/in.h"

struct options {
	bool folded, no_trailer;
	bool pid, tid;	       /* in the root frame of folded text */
	bool kernel, jit, all; /* mark such frames; all: both */
	bool addrs;	       /* addresses where names are not known */
	const char *event;     /* or NULL: that of the first sample */
};

enum {
	EVENTS_MAX = 1000,   /* that are told apart */
	FRAMES_MAX = 1 << 16 /* of a sample */
};

struct perf {
	const struct options *o;
	struct in in;
	struct intern *events;
	uint64_t n_of[EVENTS_MAX + 1];
	struct buf unit; /* of periods; empty: samples */
	uint64_t samples, empty, others;
	struct fault overflow, cut;
	/* the sample that is read */
	bool open, wanted; /* there is one; it is of a wanted event */
	bool bare;	   /* it has neither a time nor an event */
	bool in_kernel;	   /* its leaf is */
	uint64_t weight;
	struct buf head, text; /* trace text: before its frames, and they */
	size_t n;	       /* frames */
	uint32_t ids[FRAMES_MAX + 1]; /* of folded text, at the end */
	struct table *table;
	/* of a frame's line: its frames, as they are written */
	struct memo *memo;
	struct buf name, made; /* scratch */
};

/* In samples.c: a signs_reader. */
const char *perf_read(void *perf, struct in *in);

/* Reports the events, if some are left out, and what else was left out. */
void perf_report(const struct perf *r);

/* In lines.c: the first line of a sample; rest: a payload, or a frame. */
struct sample_line {
	struct piece comm, pid, tid, cpu, time, event, rest;
	uint64_t period; /* 0: none */
};

/*
 * False if the line has neither a thread and a time, nor an event at its end.
 */
bool line_sample(const char *p, size_t len, struct sample_line *s);

/*
 * In frames.c: adds the frames that a line stands for. False if the line is not
 * a frame's.
 */
bool frames_add(struct perf *r, const char *line, size_t len);

#endif
