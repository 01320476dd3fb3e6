/* SPDX-License-Identifier: ISC */
/* The three outputs of spans. */
#ifndef SINKS_H
#define SINKS_H

#include <stdbool.h>

#include "pair.h"

/* Folded text: sums in the tree, printed at the end. */
struct fold {
	struct pair *p;
	bool overflow;
};
void fold_span(void *ctx, const struct span *s);
/* The self time of each stack in ns or, with `calls`, its calls. */
void fold_print(const struct pair *p, bool calls);

/* A line for each span, when it ends; ctx is the struct pair. */
void list_span(void *ctx, const struct span *s);

/* A table of names. */
struct summary;
struct summary *summary_new(struct pair *p);
void summary_free(struct summary *m);
void summary_span(void *ctx, const struct span *s);
void summary_print(const struct summary *m, bool csv);
bool summary_overflow(const struct summary *m);

#endif
