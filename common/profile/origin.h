/* SPDX-License-Identifier: ISC */
/*
 * Collects where the counts come from, for the trailer of what kst-fold writes.
 */
#ifndef KST_ORIGIN_H
#define KST_ORIGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/cpus.h"
#include "text/trailer.h"

/*
 * A run of kst-capture, or a file without its metadata. Runs add up as trailers
 * do, so that the parts of an archive give the same trailer as the whole.
 */
struct origin {
	struct trailer sum;
	bool no_run;	/* leave out what holds for whole runs only */
	bool is_part;	/* the input is a part of a run */
	uint64_t piece; /* the width of root frames of time in ns, or 0 */
	bool unmarked;	/* a capture began because a track showed again */
	/* private: the run that is being read */
	uint64_t captures, stopped_captures, timed_captures;
	uint64_t samples, cut, stopped, begin, end; /* times in ns */
	uint64_t wall, failed;
	uint64_t rate; /* thousandths of a capture a second */
	uint64_t most; /* of a percent, for which captures were left out */
	bool any;      /* a stack was read, wanted or not */
	bool has_wall, has_failed, has_rate, has_most;
	char build_id[TRAILER_TEXT], unit[TRAILER_TEXT];
	size_t n_cpus;
	uint64_t cpus[CPUS_MAX / 64];
};

/* What a capture's weight counts, by the `unit=` of its line. */
void origin_unit(struct origin *o, const char *line, size_t len);

/* A `[kst-...]` line. */
void origin_meta(struct origin *o, const char *line, size_t len);

/* What a `[kst-capture ...]` line says; 0 in has_... where it does not. */
struct origin_capture {
	bool has_time, has_stop;
	uint64_t time, stop; /* in ns */
};

/* The first stack of a capture that lies in the time asked for. */
void origin_capture(struct origin *o, const struct origin_capture *c);

/* A stack that is counted; cpu < 0: its CPU is not known. */
void origin_stack(struct origin *o, int64_t cpu, bool cut);

/* The run ends, and with it a file of trace text. */
void origin_end(struct origin *o);

/* Writes the trailer to the output. */
void origin_put(const struct origin *o);

#endif
