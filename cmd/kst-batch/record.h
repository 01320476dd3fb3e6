/* SPDX-License-Identifier: ISC */
/* What was made, and from what; files. */
#ifndef RECORD_H
#define RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum status {
	STATUS_OK,
	STATUS_BROKEN, /* the capture is damaged, its good part is folded */
	STATUS_FAILED  /* nothing was made; to be tried again next time */
};

/* What came of an item. */
struct record {
	uint64_t key;	  /* what the folded text depends on */
	uint64_t svg_key; /* and the picture, 0: there is none */
	uint64_t status;
	uint64_t size, mtime; /* of the capture, mtime in ns */
	uint64_t folded, svg; /* bytes made */
	uint64_t captures;    /* counted */
	uint64_t line;	      /* of the first fault, or 0 */
	char *what;	      /* the first fault, on the heap; NULL: none */
};

/* Makes the status worse, for a fault in that line, or 0, if it is not as bad
 * already. */
void record_say(struct record *r, enum status status, uint64_t line,
    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* A text as by printf(), a path mostly; valid until the eighth call from now.
 */
const char *text_of(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Such a text of s with controls and `%` as %XX. */
const char *text_encode(const char *s);

/* Reads to the end, and appends a NUL; -1 with errno. */
int fd_read(int fd, struct buf *b);
int file_read(const char *path, struct buf *b);
/* Writes a whole file, in place; -1 with errno. */
int file_write(const char *path, const char *p, size_t len);
/* Renames a file into a folder that is made if it has to be. */
int file_rename(const char *from, const char *to);
/* The size of a regular file; UINT64_MAX: there is none. */
uint64_t file_size(const char *path);
/* All folders above a file's name; 0, or -1 with errno. */
int make_parents(const char *path);

#endif
