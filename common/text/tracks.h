/* SPDX-License-Identifier: ISC */
/*
 * Which tracks have frames in the current capture: one that shows again begins
 * the next capture. A track is known by its name's hash.
 */
#ifndef KST_TRACKS_H
#define KST_TRACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tracks of one capture that are told apart, in 32 MiB. */
enum { TRACKS_MAX = 1 << 20 };

struct tracks;

struct tracks *tracks_new(void);
void tracks_free(struct tracks *t);

/*
 * Marks the track; whether it was marked for that capture before. Captures only
 * go up. Once a capture has TRACKS_MAX tracks, all are forgotten and *full is
 * set: it may have ended unnoticed.
 */
bool tracks_mark(struct tracks *t, const char *name, size_t len,
    uint64_t capture, bool *full);

#endif
