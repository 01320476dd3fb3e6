/* SPDX-License-Identifier: ISC */
/* Reads other programs' profiles and writes folded text. */
#ifndef IMPORT_H
#define IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "io/in.h"
#include "profile/table.h"
#include "text/trailer.h"

enum {
	STACK_MAX = 1 << 16,  /* frames */
	FRAMES_MAX = 1 << 26, /* of a file's stacks */
	IDS_MAX = 1 << 22,    /* functions, and locations */
	PPROF_MAX = 64 << 20  /* bytes, unpacked */
};

struct options {
	const char *type; /* of pprof's values, or NULL */
};

struct import {
	const struct options *o;
	struct in in;
	struct table *table;
	struct trailer trailer;
	uint64_t overflows, negative; /* samples left out */
	uint64_t frames;	      /* of the file */
	bool bad_gzip;		      /* a message said so */
	/* of the file: the trailer that it has, and one that tells its unit */
	struct buf said, unit;
	uint32_t key[STACK_MAX]; /* a stack's names, at the end */
};

/*
 * In pprof.c: adds an unpacked file. Returns NULL, or what is wrong with it;
 * what is before that was added.
 */
const char *pprof_read(struct import *im, struct piece file);

/* In read.c: reads the current file; a signs_reader. */
const char *import_read(void *import, struct in *in);

#endif
