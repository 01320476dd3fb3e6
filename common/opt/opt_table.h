/* SPDX-License-Identifier: ISC */
/*
 * Private to common/opt: all rows of a command, opt_read()'s own included, and
 * what is printed of them.
 */
#ifndef KST_OPT_TABLE_H
#define KST_OPT_TABLE_H

#include <getopt.h>

#include "opt/opt.h"

enum { OPT_ROWS_MAX = 160 };

/* getopt_long() returns OPT_FIRST_LONG and the row's number for a long name. */
enum { OPT_FIRST_LONG = 256 };

struct opt_table {
	const struct opt_page *page;
	const struct opt *row[OPT_ROWS_MAX];
	bool given[OPT_ROWS_MAX];
	size_t n;
	struct option longs[OPT_ROWS_MAX + 1];
	char shorts[3 * OPT_ROWS_MAX + 2];
};

/* The help text, with the values in `options` as defaults. */
void opt_put_help(const struct opt_table *t, const void *options);

/*
 * --help=rows, for shell completion and for kst-flame, which hands options on:
 * a line an option with its letter or `-`, name, argument, values and help,
 * with tabs between.
 */
void opt_put_rows(const struct opt *rows);

/* A number as this kind of option takes it. */
void opt_put_number(struct buf *b, enum opt_kind kind, uint64_t v);

/* `a b c` as `a, b or c`, each after a prefix. */
void opt_put_words(struct buf *b, const char *prefix, const char *words);

#endif
