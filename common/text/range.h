/* SPDX-License-Identifier: ISC */
/*
 * A range of a trace's time, as the options --since, --until and --period give
 * it.
 */
#ifndef KST_RANGE_H
#define KST_RANGE_H

#include <stdbool.h>
#include <stdint.h>

struct buf;

/* Of the trace's clock or, after a `+`, since the first event. */
struct range_end {
	bool given, relative;
	uint64_t ns;
};

struct range {
	struct range_end since, until;
	uint64_t period; /* ns; 0: not given */
	/* set by range_begin() */
	bool begun;
	uint64_t from, to; /* ns; `to` is outside */
};

/* Options: --since and --until, of a struct range_end; --period, and other
 * lengths of time. */
int range_end_option(void *end, const char *arg, struct buf *err);
int range_length_option(void *ns, const char *arg, struct buf *err);

/* The rows of a command, for a struct range in its options. */
#define RANGE_ROWS(range)                                              \
	{0, "since", "TIME",                                           \
	    "leave out what is before TIME; +TIME counts from the "    \
	    "first event",                                             \
	    OPT_CALL(range.since, range_end_option)},                  \
	    {0, "until", "TIME", "leave out what is at TIME or later", \
		OPT_CALL(range.until, range_end_option)},              \
	{                                                              \
		0, "period", "LENGTH",                                 \
		    "end this long after --since, or begin this "      \
		    "long before --until",                             \
		    OPT_CALL(range.period, range_length_option),       \
		    .requires = "since until"                          \
	}

/* Ends the command if all three are given. */
void range_check(const struct range *r);

bool range_given(const struct range *r);

/* The first event of all tells what relative times mean. */
void range_begin(struct range *r, uint64_t first);

/*
 * Cuts a time to the range. While the range has not begun, the result is its
 * end.
 */
uint64_t range_cut(const struct range *r, uint64_t ns);

#endif
