/* SPDX-License-Identifier: ISC */
/*
 * Collects lines, functions and branches of source files, and writes them as
 * lcov's tracefile, after the public page geninfo(1).
 */
#ifndef LCOV_H
#define LCOV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct intern;

/* The first line of such a file. */
#define LCOV_MARK "TN:kst_count\n"

/* Code [start, end) of a line of a file, by lcov_file(). */
struct lcov_row {
	uint64_t start, end;
	uint32_t file, line;
};

struct lcov_branch {
	uint64_t addr, on, taken;
	bool executed;
};

struct lcov_item {
	uint32_t file, line, kind;
	uint64_t a, b; /* of a line a count; of a function, its name's place */
	uint64_t key;  /* of a branch its address */
};

struct lcov {
	struct intern *files;
	struct lcov_item *v;
	size_t n, cap;
	uint32_t last; /* the file that was named last */
	struct buf names;
};

void lcov_init(struct lcov *l);
void lcov_done(struct lcov *l);

/* The number of a file's path. */
uint32_t lcov_file(struct lcov *l, const char *path, size_t len);

/* Adds n executions of a line. */
void lcov_line(struct lcov *l, const struct lcov_row *row, uint64_t n);

/* Adds a function that begins at a line, and its executions. */
void lcov_function(struct lcov *l, const struct lcov_row *row, const char *name,
    size_t len, uint64_t n);

void lcov_branch(
    struct lcov *l, const struct lcov_row *row, const struct lcov_branch *b);

/* Writes all to the output (io/out.h). */
void lcov_write(struct lcov *l);

#endif
