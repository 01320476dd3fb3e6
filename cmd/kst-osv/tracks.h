/* SPDX-License-Identifier: ISC */
/*
 * Threads and their open spans. The console gives only names: threads of one
 * name share a track until a begin of what is already open shows that they are
 * several; then each gets a track, `NAME`, `NAME#2` ..., told apart by CPU.
 */
#ifndef TRACKS_H
#define TRACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "emit.h"
#include "text/events.h"
#include "tps.h"

enum {
	OPEN_MAX = 1024,  /* spans that a track remembers */
	SHARED_MAX = 64,  /* tracks of one name */
	NONE = UINT32_MAX /* no track */
};

struct open {
	uint32_t tp, cpu;
	uint64_t time;
	uint32_t n_frames, shared; /* the root's, with the span around it */
	uint64_t *frames;	   /* leaf first; NULL if none */
	bool on_cpu;		   /* the root is the CPU */
};

struct track {
	const char *label; /* escaped */
	size_t label_len;
	struct open *open;
	uint32_t n_open, cpu;
	size_t cap;
	uint64_t last;
	uint32_t next; /* of the same thread, NONE at the end */
};

struct thread {
	uint32_t name; /* number of the bare name, in ids */
	uint32_t first, n_tracks;
	uint32_t n_alike; /* of a bare name: tracks labelled so */
};

struct tracks {
	const struct emit_options *opt;
	const struct tps *tps;
	struct emit_counts *n;
	/* private */
	struct intern *ids, *labels;
	struct thread *threads;
	struct track *tracks;
	uint32_t n_threads, n_tracks;
	size_t cap_threads, cap_tracks;
	struct buf args, id;
	struct waits *waits; /* NULL if nothing is made within them */
	uint64_t end;	     /* of the log so far */
	struct intern *cpus; /* for trace.py: */
	uint64_t *first;     /* the time of each CPU's first record */
	size_t n_first, cap_first;
};

void tracks_init(struct tracks *t, const struct emit_options *opt,
    const struct tps *tps, struct emit_counts *n);
void tracks_done(struct tracks *t);

/* The thread's number; ptr is 0 if only names are known. */
uint32_t tracks_thread(
    struct tracks *t, const char *name, size_t len, uint64_t ptr);

/* A record of the CPU was read, wanted or not; for trace.py's pairing. */
void cpu_seen(struct tracks *t, uint64_t time, uint32_t cpu);

/* Whether only whole pairs are written, as trace.py's trees have them. */
bool like_blocks(const struct tracks *t);

struct moment {
	uint64_t time;
	uint64_t ptr; /* of the thread, 0 if unknown */
	uint32_t thread, cpu;
	uint32_t tp;
	uint32_t n_frames;
	const uint64_t *frames; /* the backtrace, leaf first */
	const char *args;
	size_t args_len;
};

/* Pairs the record and writes it. */
void tracks_put(struct tracks *t, const struct moment *m);

/* At the log's end: counts open spans and forgets them. */
void tracks_end(struct tracks *t);

/* Private to tracks.c, pairing.c, frames.c and waits.c --------------------- */

/* Adds a track to the thread; t->tracks may move. */
uint32_t track_new(struct tracks *t, uint32_t thread);

/* Writes an event; a time that goes backwards is raised, marked and counted. */
void track_put(struct tracks *t, struct track *tr, const struct moment *m,
    enum event_kind kind, const struct tp *tp, const struct event_args *args);

/* A begin or an instant: with the CPU and the arguments. */
void track_put_in(struct tracks *t, struct track *tr, const struct moment *m,
    enum event_kind kind);

/* An end: with the value or the error. */
void track_put_end(struct tracks *t, struct track *tr, const struct moment *m);

/* An end that was not recorded. */
void track_put_open_end(struct tracks *t, struct track *tr,
    const struct moment *m, const struct open *o);

/* In frames.c: the frames of the innermost open span begin. */
void frames_begin(struct tracks *t, struct track *tr, const struct moment *m);

/* Those of a span whose end was written end; frees them. */
void frames_end(
    struct tracks *t, struct track *tr, const struct moment *m, struct open *o);

/* A whole span that ends now, or with the log; frees its frames. */
void block_put(struct tracks *t, struct track *tr, const struct moment *m,
    struct open *o, bool at_end);

/*
 * In waits.c: what happens while a thread is in sched_wait, the time that its
 * CPU was idle or the time from its sched_wake on. Both become spans within
 * sched_wait.
 */
struct waits *waits_new(void);
void waits_free(struct waits *w);

/* The track's thread waits, once the begin is written. */
void waits_begin(struct tracks *t, struct track *tr, const struct moment *m);

/* It runs again; before the end is written. */
void waits_end(struct tracks *t, struct track *tr, const struct moment *m);

/* Its CPU became idle or busy, or a thread was woken. */
void waits_note(struct tracks *t, const struct moment *m);

/* At the log's end. */
void waits_finish(struct tracks *t, const struct moment *m);

#endif
