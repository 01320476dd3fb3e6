/* SPDX-License-Identifier: ISC */
/* What becomes of the spans: the three outputs. */
#ifndef SINKS_H
#define SINKS_H

#include <stdbool.h>

#include "pair.h"

/* Folded text: sums in the tree's nodes, printed at the end. */
struct fold {
	struct pair *p;
	bool overflow;
};
void fold_span(void *ctx, const struct span *s);
/* Self time in ns of each stack or, with `calls`, how often it began. */
void fold_print(const struct pair *p, bool calls);

/* A line a span, as it ends; ctx is the struct pair. */
void list_span(void *ctx, const struct span *s);

/* Per name: a table. */
struct summary;
struct summary *summary_new(struct pair *p);
void summary_free(struct summary *m);
void summary_span(void *ctx, const struct span *s);
void summary_print(const struct summary *m, bool csv);
bool summary_overflow(const struct summary *m);

#endif
