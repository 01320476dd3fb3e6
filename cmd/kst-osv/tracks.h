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
#include "tps.h"

struct track;
struct thread;

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

#endif
