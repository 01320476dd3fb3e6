/* SPDX-License-Identifier: ISC */
/*
 * What passes between kst-batch and its workers, which GNU parallel starts,
 * here or on another machine: files of units of work, and a line of result
 * for each unit. Names are written so that no byte of them is syntax.
 */
#ifndef JOB_H
#define JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "steps.h"
#include "text/shape.h"

enum unit_kind {
	UNIT_CAPTURE,
	UNIT_PART,    /* `len` bytes of a capture, from `off` on */
	UNIT_DRAWING, /* only the picture of the folded text `path` */
	UNIT_SUM      /* of the files listed in `path`, `len` bytes in all */
};

/* Strings belong to whoever fills it. */
struct unit {
	enum unit_kind kind;
	uint64_t id; /* its number in this pass */
	uint64_t off, len;
	enum shape shape;   /* of a part */
	bool plain;	    /* of a sum: never two counts on a line */
	const char *path;   /* to read */
	const char *folded; /* to make */
	const char *svg;    /* to make, "" for none */
};

enum status {
	STATUS_OK,
	STATUS_BROKEN, /* the capture is damaged, its good part is folded */
	STATUS_FAILED  /* nothing was made; to be tried again next time */
};

/* What came of a unit, or is known of a capture. */
struct record {
	uint64_t status;
	uint64_t size, mtime;	     /* of the file, mtime in ns */
	uint64_t bytes, lines;	     /* read; lines of the text */
	uint64_t folded, svg;	     /* bytes made */
	uint64_t captures, stacks;   /* counted */
	uint64_t faults, line, usec; /* line: of the first fault, or 0 */
	char *what;		     /* the first fault; "" for none */
};

/* How a run is done, the same for all of its units. */
struct run {
	char *cwd; /* where names in options are relative to */
	struct steps steps;
};

void unit_write(struct buf *b, const struct unit *u);
/* The next unit from *p, not beyond end; strings point into the text. */
int unit_read(struct unit *u, char **p, const char *end);

void run_write(struct buf *b, const struct run *r);
int run_read(struct run *r, char *p, const char *end);

/* Fields of a line, with tabs between; what is read points into the line. */
void record_write(struct buf *b, const struct record *r);
int record_read(struct record *r, char *fields);

/* The line of a result, with its LF: at most PIPE_BUF bytes, for one write. */
void result_write(
    struct buf *b, uint64_t id, const char *host, const struct record *r);
int result_read(uint64_t *id, char **host, struct record *r, char *line);

/*
 * Appends s with controls, `%` and, when `strict`, everything but letters,
 * digits and `._/-` as %XX; text_decode() undoes it in place.
 */
void text_encode(struct buf *b, const char *s, size_t len, bool strict);
void text_decode(char *s);

/* Cuts off the field at *p, which ends at `sep`; NULL when none is left. */
char *text_field(char **p, char sep);

/* A whole file, NUL-terminated; -1 with errno. */
int file_read(const char *path, struct buf *b);
/* Writes a whole file, in place; -1 with errno. */
int file_write(const char *path, const char *p, size_t len);
/* Renames a file into a folder that is made if it has to be. */
int file_rename(const char *from, const char *to);
/* All folders above a file's name; 0, or -1 with errno. */
int make_parents(const char *path);

/* work.c: the worker, `kst-batch --job DIR NUMBER`. Returns its status. */
int work(const char *dir, const char *number);

#endif
