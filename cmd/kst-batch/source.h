/* SPDX-License-Identifier: ISC */
/* A capture's bytes: what they are packed with, and what they are. */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "text/shape.h"

enum pack { PACK_NONE, PACK_GZIP, PACK_ZSTD, PACK_XZ };

struct source {
	int fd;		      /* the capture, unpacked; the caller closes it */
	uint64_t size, mtime; /* of the file, mtime in ns */
	enum pack pack;
	bool json;
	const char *foreign; /* why it is none to be read, or NULL */
	/* private */
	pid_t unpack_pid, pump_pid;
	int err_fd;
};

/*
 * What is wrong with a capture that begins so: it is packed in a way that is
 * not known here. NULL when nothing is.
 */
const char *source_foreign(const char *p, size_t n);

/* How the first bytes of a file say it is packed. */
enum pack source_pack(const char *p, size_t n);

/*
 * Opens the file, or `len` bytes of it from `off` on where len is not 0.
 * Returns 0, or -1 with errno.
 */
int source_open(struct source *s, const char *path, uint64_t off, uint64_t len);

/*
 * The shape of the text in the file, unpacked; SHAPE_AUTO when it is JSON or
 * cannot be read.
 */
enum shape source_shape(const char *path);

/*
 * To be called when the capture has been read: returns 0, or with what was
 * wrong in *why (at most `max` bytes) 1 for a damaged packed file and -1 for
 * a failure that is not the file's.
 */
int source_close(struct source *s, char *why, size_t max);

/* How many lines the file holds, as far as it can be unpacked. */
uint64_t source_lines(const char *path);

/* How many LFs are in the next `left` bytes that can be read. */
uint64_t source_count(int fd, uint64_t left);

/*
 * How many lines of a plain file begin before the byte `end`. What was counted
 * is kept in the file `cache`, for others that ask for the same file.
 */
uint64_t source_lines_before(const char *path, uint64_t end, const char *cache);

#endif
