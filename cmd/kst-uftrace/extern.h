/* SPDX-License-Identifier: ISC */
/*
 * What another program noted beside the trace: the lines `TIME MESSAGE` of
 * extern.dat, with TIME in seconds of the trace's clock.
 */
#ifndef EXTERN_H
#define EXTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/fault.h"
#include "base/in.h"

struct notes {
	uint64_t time;	  /* of the next note, in ns, if !done */
	const char *text; /* valid up to notes_next() */
	size_t len;
	bool done;
	struct fault bad; /* lines of another form */
	bool failed;	  /* the file could not be read */
	/* private */
	struct in in;
	char *path;
};

/* Reads the first note. Owns path (from malloc); NULL: there is no file. */
void notes_init(struct notes *n, char *path);
void notes_done(struct notes *n);

void notes_next(struct notes *n);

/* Writes the note as an instant, on a track of its own. */
void notes_put(const struct notes *n);

#endif
