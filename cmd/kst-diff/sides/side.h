/* SPDX-License-Identifier: ISC */
/* The files of both sides, and the profile that they are read into. */
#ifndef SIDE_H
#define SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sides/profile.h"
#include "trace/shape.h"
#include "text/folded.h"
#include "text/trailer.h"

struct side {
	int number;	  /* 0 and 1; those of their calls, 2 and 3 */
	const char *name; /* the operand */
	char **files;	  /* itself, or the files of the folder */
	size_t n;
	size_t n_trace;		     /* how many of them are trace text */
	bool has_unit, differential; /* a file is, and must not be */
	char unit[TRAILER_TEXT];     /* of the weights */
	/* the last file was counted exactly, and another run counts so, too */
	bool exact, reproducible;
	uint64_t captures;
	double seconds; /* that these took, 0: not known */
};

/*
 * Fills name, files and n from an operand. Returns -1 after a message if it
 * cannot be read, or is an empty folder.
 */
int side_find(struct side *s, const char *operand);
void side_done(struct side *s);

struct side_options {
	enum shape shape;
	bool by_cpu;	/* trace text gets root frames */
	bool only_fold; /* only the table of stacks is wanted */
	bool by_file;	/* a part is a file, not captures */
};

/*
 * Reads a side's files into the profile. Returns false, after messages, if
 * something was damaged; what could be read has been.
 */
bool side_read(
    struct side *s, struct profile *p, int which, const struct side_options *o);

/* As side_read(), for both sides from one file, which must be differential. */
bool side_read_both(
    struct side s[2], struct profile *p, const struct side_options *o);

#endif
