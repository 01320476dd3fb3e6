/* SPDX-License-Identifier: ISC */
/*
 * The records of an ID.dat file: 16 bytes each, two 64-bit words in the byte
 * order of the info file, alike in versions 3 and 4. Some carry a payload,
 * whose length only the caller can tell.
 *
 *      word 0  time, ns
 *      word 1  type 0-1, more 2, magic 3-5 (= 5), depth 6-15, address 16-63
 */
#ifndef DAT_H
#define DAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "io/in.h"
#include "io/fault.h"

enum dat_type { DAT_ENTRY, DAT_EXIT, DAT_LOST, DAT_EVENT };

enum { DAT_SIZE = 16 };

struct dat {
	struct in in;
	bool swap; /* the file's byte order is not ours */
	bool big;
	uint64_t time, data;  /* the current record */
	uint64_t n;	      /* its number, from 1 */
	struct fault *resync; /* how often records had to be searched */
	char *path;
};

static inline enum dat_type
dat_type(const struct dat *d)
{
	return (enum dat_type)(d->data & 3);
}

static inline bool
dat_more(const struct dat *d)
{
	return d->data >> 2 & 1;
}

static inline uint64_t
dat_addr(const struct dat *d)
{
	return d->data >> 16;
}

/* The depth in a record's data: how many calls are around it. */
static inline unsigned
dat_depth(uint64_t data)
{
	return data >> 6 & 1023;
}

/* Owns path (from malloc) from now on. */
void dat_init(struct dat *d, char *path, bool big, size_t buf_size);
void dat_done(struct dat *d);

/* The slow part of dat_next(). */
int dat_next_slow(struct dat *d);

/*
 * Reads the next record, after the last one's payload was skipped. Returns 1,
 * or 0 at the end.
 */
static inline int
dat_next(struct dat *d)
{
	uint64_t w[2];

	if (d->swap || d->in.end - d->in.p < DAT_SIZE)
		return dat_next_slow(d);
	memcpy(w, d->in.p, sizeof w);
	if ((w[1] >> 3 & 7) != 5)
		return dat_next_slow(d);
	d->in.p += DAT_SIZE;
	d->time = w[0];
	d->data = w[1];
	d->n++;
	return 1;
}

/*
 * Makes n bytes of the record's payload available; NULL if the file ends
 * before.
 */
const char *dat_payload(struct dat *d, size_t n);

/*
 * Skips a payload of n bytes, rounded up to 8; counts a fault if the file ends
 * before.
 */
void dat_skip(struct dat *d, size_t n);

/*
 * Skips a payload of unknown length, to where the next records look right.
 * Counts a fault.
 */
void dat_search(struct dat *d);

#endif
