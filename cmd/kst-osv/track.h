/* SPDX-License-Identifier: ISC */
/* Private to tracks.c and pairing.c. */
#ifndef TRACK_H
#define TRACK_H

#include <stddef.h>
#include <stdint.h>

#include "text/events.h"
#include "tracks.h"

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

#endif
