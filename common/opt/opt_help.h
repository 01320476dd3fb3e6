/* SPDX-License-Identifier: ISC */
/* Private to the room: prints the rows. */
#ifndef KST_OPT_HELP_H
#define KST_OPT_HELP_H

#include <stdint.h>

#include "opt/opt.h"

struct buf;
struct opt_table;

/* The help text, with the values in `options` as defaults. */
void opt_put_help(const struct opt_table *t, const void *options);

/*
 * --help=rows, for shell completion and for kst-flame, which hands options on.
 * A line for each option: its letter or `-`, name, argument, values and help,
 * separated by tabs.
 */
void opt_put_rows(const struct opt *rows);

/* A number as this kind of option takes it. */
void opt_put_number(struct buf *b, enum opt_kind kind, uint64_t v);

/* `a b c` as `a, b or c`, each after a prefix. */
void opt_put_words(struct buf *b, const char *prefix, const char *words);

#endif
