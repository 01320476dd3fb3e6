/* SPDX-License-Identifier: ISC */
/*
 * What bcc's profile, offcputime and stackcount print: a line a frame, leaf
 * first, kernel before user with `--` between them (option -d), then process
 * and weight; of stackcount, the process only with its option -P.
 *
 *	    vfs_read
 *	    --
 *	    read
 *	    -                dd (6773)
 *	        12
 */
#ifndef BCC_H
#define BCC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

/* All zero at first. */
struct bcc {
	struct buf key; /* of a complete stack, see key.h */
	/* private */
	struct buf frames, process;
	size_t kernel; /* length of the kernel's frames, if `--` came */
	bool stackcount;
	bool ended; /* the process was read, its weight is next */
};

enum bcc_line { BCC_OTHER, BCC_PART, BCC_STACK };

void bcc_done(struct bcc *b);

/* Whether the line is the heading that such output begins with; notes whose. */
bool bcc_is_heading(struct bcc *b, const char *line, size_t len);

/* Takes a line; with BCC_STACK, b->key and *weight are a stack's. */
enum bcc_line bcc_line(
    struct bcc *b, const char *line, size_t len, uint64_t *weight);

#endif
