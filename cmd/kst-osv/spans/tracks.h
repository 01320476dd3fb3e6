/* SPDX-License-Identifier: ISC */
/*
 * Threads and their open spans. The console gives only names: threads of one
 * name share a track until something begins that is already open, which shows
 * that they are several. From then on each has a track, `NAME`, `NAME#2` ...,
 * told apart by CPU.
 */
#ifndef TRACKS_H
#define TRACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spans/waits.h"
#include "base/buf.h"
#include "log/record.h"
#include "spans/emit.h"
#include "spans/tps.h"
#include "text/events.h"

enum {
	OPEN_MAX = 1024,  /* spans that a track remembers */
	SHARED_MAX = 64,  /* tracks of one name */
	NONE = UINT32_MAX /* no track */
};

struct osv_span {
	uint32_t tp, cpu;
	uint32_t n_frames, shared; /* the root's, with the span around it */
	uint64_t *frames;	   /* leaf first; NULL if none */
};

struct osv_track {
	char *label; /* escaped */
	size_t label_len;
	struct osv_span *open;
	uint32_t n_open, cpu;
	size_t cap;
	uint64_t last;
	uint32_t next; /* of the same thread, NONE at the end */
};

struct osv_thread {
	uint32_t name; /* number of the bare name, in ids */
	uint32_t first, n_tracks;
	uint32_t n_alike; /* of a bare name: tracks labelled so */
};

struct osv_threads {
	const struct emit_options *opt;
	const struct tps *tps;
	struct emit_counts *n;
	struct waits waits;
	uint64_t end; /* of the log so far */
	struct intern *ids;
	struct osv_thread *threads;
	struct osv_track *tracks;
	uint32_t n_threads, n_tracks;
	size_t cap_threads, cap_tracks;
	struct buf args, text;
};

void threads_init(struct osv_threads *t, const struct emit_options *opt,
    const struct tps *tps, struct emit_counts *n);
void threads_done(struct osv_threads *t);

/* The thread's number. ptr is 0 if only names are known. */
uint32_t threads_id(struct osv_threads *t, struct piece name, uint64_t ptr);

/* Adds a track to the thread; t->tracks may move. */
uint32_t track_new(struct osv_threads *t, uint32_t thread);

/*
 * Writes an event; args NULL: without ARGS. A time that goes backwards is
 * raised, marked and counted.
 */
void track_put(struct osv_threads *t, struct osv_track *tr, uint64_t time,
    enum event_kind kind, struct piece name, const struct event_args *args);

/* Writes a begin or an instant, with the CPU and the arguments. */
void track_put_in(struct osv_threads *t, struct osv_track *tr,
    const struct osv_record *r, enum event_kind kind);

/* Writes an end, with the value or the error. */
void track_put_end(
    struct osv_threads *t, struct osv_track *tr, const struct osv_record *r);

#endif
