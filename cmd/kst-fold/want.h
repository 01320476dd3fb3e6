/* SPDX-License-Identifier: ISC */
/* Which stacks are wanted: how options say it, and what was not found. */
#ifndef WANT_H
#define WANT_H

#include "profile/fold.h"

/* Options: --by, into struct fold_options; --from and --to, into a limit. */
#define FOLD_BY_WORDS "cpu thread state process time"
int fold_by_option(void *options, const char *arg, struct buf *err);
int fold_limit_option(void *limit, const char *arg, struct buf *err);

/* What the user asked for and the input did not have. */
void fold_say_missing(const struct fold *f);
void fold_say_summary(const struct fold *f);
/* The counts of --summary-fd. */
void fold_summarize(const struct fold *f, const struct in *in);

#endif
