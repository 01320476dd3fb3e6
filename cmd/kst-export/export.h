/* SPDX-License-Identifier: ISC */
/*
 * Stacks and events of the input, as the writers of other programs' formats
 * find them when all is read.
 */
#ifndef EXPORT_H
#define EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "io/fault.h"
#include "opt/opt.h"
#include "profile/profile.h"
#include "profile/table.h"
#include "set/intern.h"

enum {
	TRACKS_KEPT = 1 << 16,	   /* CPUs and threads that are told apart */
	OPEN_MAX = 1 << 14,	   /* events that are open at once on a track */
	EVENT_FRAMES_MAX = 1 << 26 /* of distinct stacks of open events */
};

/* Labels are those of a stack, below. */
#define EXPORT_ROOTS(X)                     \
	X(ROOT_NONE, "none", LABELS)        \
	X(ROOT_CPU, "cpu", LABEL_CPU)       \
	X(ROOT_THREAD, "thread", LABEL_CPU) \
	X(ROOT_STATE, "state", LABEL_STATE) \
	X(ROOT_PROCESS, "process", LABEL_PROCESS)
#define EXPORT_FORMATS(X)                                           \
	X(FORMAT_SPEEDSCOPE, "speedscope", format_speedscope)       \
	X(FORMAT_PPROF, "pprof", format_pprof)                      \
	X(FORMAT_TRACE_EVENTS, "trace-events", format_trace_events) \
	X(FORMAT_CALLGRIND, "callgrind", format_callgrind)          \
	X(FORMAT_PERF_SCRIPT, "perf-script", format_perf_script)

struct options {
	enum { FORMAT_NONE, EXPORT_FORMATS(OPT_ID) } format;
	enum { EXPORT_ROOTS(OPT_ID) } by;
	const char *output, *elf;
	bool force, dump_instr;
};

/*
 * A stack of export.stacks has these names of fold.table, which begin with `[`
 * if they are not known, and the numbers of its locations, the leaf first.
 */
enum { LABEL_CPU, LABEL_STATE, LABEL_PROCESS, LABELS };

struct location {
	uint32_t name; /* of fold.table */
	uint32_t
	    is_user; /* of a process; 0 where addresses are not asked for */
	uint64_t address; /* or 0 */
};

/* A sample or, of event text, what was open and for how long. */
struct mark {
	uint64_t time; /* ns */
	struct count count;
	uint32_t stack;
	uint32_t next; /* of the track, or 0 */
};

/* A CPU or thread; the number is that of its name in export.labels. */
struct timeline {
	uint32_t first, last; /* of its marks */
	uint64_t time;	      /* of the event before */
	uint32_t *open;	      /* events: their locations */
	size_t n_open, open_cap;
};

struct export
{
	const struct options *o;
	const struct export_format *format;
	struct in *in;
	struct fold fold;
	struct fold_options wants;
	struct table *stacks; /* its names are locations */
	struct intern *labels;
	struct timeline *tracks;
	struct mark *marks; /* in the order of input; the first is unused */
	size_t n_tracks, tracks_cap, n_marks, marks_cap;
	uint64_t first_time;	 /* of marks */
	bool addresses;		 /* of locations are asked for */
	bool in_folded, untimed; /* untimed: a sample has no time */
	bool more; /* for a writer: what it writes is not the first */
	uint64_t events, rounded;
	struct fault bad_event, left_out;
	struct buf scratch;
	uint32_t *key;
	size_t key_cap;
};

struct export_format {
	void (*write)(struct export *e);
	bool addresses; /* of locations are asked for */
	bool marks;	/* so are samples in their order */
	bool roots;	/* folded text's times and CPUs are not frames */
};

#define EXPORT_EXTERN(id, word, format) \
	extern const struct export_format format;
EXPORT_FORMATS(EXPORT_EXTERN)

/* In read.c: reads all files, and writes the profile; returns the exit status.
 */
int export_run(const struct options *o, struct in *in);

/* In model.c: what counts are: `samples`, `ns`, `bytes` or another word. */
const char *export_unit(const struct export *e);

/*
 * For formats that have only whole numbers. Reports the counts that are not
 * whole.
 */
uint64_t export_whole(struct export *e, const struct count *c);

/* The text with U+FFFD for what is not UTF-8, valid until the next call. */
const char *export_utf8(struct export *e, const char *p, size_t len);

/*
 * A location's function, and its file and line, or its library; of folded text,
 * too, from frames such as `0x1f in f at x.c:3`, which also have the address.
 */
struct frame_place {
	struct location at;
	const char *name, *file;
	size_t name_len, file_len; /* 0: not known */
	uint64_t line;		   /* or 0 */
};
struct frame_place export_place(const struct export *e, uint32_t location);

#endif
