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
	char shorts[3 * OPT_ROWS_MAX + 3];
};

#endif
