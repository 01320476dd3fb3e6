/* SPDX-License-Identifier: ISC */
/*
 * What passes between kst-batch and its workers, which GNU parallel starts,
 * here or on another machine: files of NUL-ended strings, and a line of
 * result for each unit of work.
 */
#ifndef JOB_H
#define JOB_H

#include <stdbool.h>
#include <stdint.h>

#include "steps.h"

/* A unit of work; strings belong to whoever fills it. */
struct unit {
	char kind;	   /* 'c' a capture, 'p' and 'w' a part of one, 'd' only
			      the picture of folded text, 's' a sum */
	uint64_t id;	   /* its number in this run */
	uint64_t off, len; /* of a part */
	const char *path;  /* to read; of a sum: a list of folded files */
	const char *name;  /* for messages */
	const char *folded; /* to make */
	const char *svg;    /* to make, "" for none */
	bool plain;	    /* of a sum: never two counts on a line */
	uint64_t shape;	    /* of a part: enum shape */
	uint64_t width;	    /* pipes that a packed capture may be shared to */
};

enum result_status {
	RESULT_OK,
	RESULT_FAULTY, /* the capture is damaged, its good part is folded */
	RESULT_FAILED  /* nothing was made; to be tried again next time */
};

struct result {
	uint64_t id;
	enum result_status status;
	uint64_t size, mtime;	   /* of the file that was read */
	uint64_t bytes;		   /* read of it */
	uint64_t folded, svg;	   /* bytes made */
	uint64_t captures, stacks; /* counted */
	uint64_t usec;		   /* it took */
	char *host, *messages;	   /* messages: lines; into the line parsed */
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
void run_done(struct run *r);

/* Appends the line with its LF: at most 4096 bytes, for one write. */
void result_write(struct buf *b, const struct result *r);
/* Takes a line without LF apart, in place; -1 if it is none. */
int result_read(struct result *r, char *line);

/* A whole file, NUL-terminated; -1 with errno. */
int file_read(const char *path, struct buf *b);
/* Writes all of n bytes. Returns -1 with errno. */
int file_put(int fd, const char *p, size_t n);

/* Writes a whole file, in place; -1 with errno. */
int file_write(const char *path, const char *p, size_t len);
/* All folders above a file's name; 0, or -1 with errno. */
int make_parents(const char *path);

/*
 * What a worker does: `kst-batch --job DIR NUMBER`, in that slot of this
 * machine, 0 for none. Returns its status.
 */
int work(const char *dir, const char *number, uint64_t slot);

#endif
