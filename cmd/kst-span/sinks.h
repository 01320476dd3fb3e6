/* SPDX-License-Identifier: ISC */
/* The three outputs of spans. */
#ifndef SINKS_H
#define SINKS_H

#include <stdbool.h>

#include "pair.h"

/* Folded text: the self time of each stack in ns or, with `calls`, its calls.
 */
void fold_print(const struct pair *p, bool calls);

/* The numbers in the set of names as folded text has them; free() them. */
struct intern;
uint32_t *fold_names(const struct pair *p, struct intern *set);

/* What was open on each track, in the order of time; needs pair.by_track. */
void chart_print(const struct pair *p);

/* A line for each span, when it ends, of the first `most`. */
struct list {
	const struct pair *p;
	uint64_t most, n;
};
void list_span(void *ctx, const struct span *s);

/* A table of names. */
struct summary;
struct summary *summary_new(struct pair *p);
void summary_free(struct summary *m);
void summary_span(void *ctx, const struct span *s);
/* The rows of --sort, in the order of SUMMARY_SORTS. */
enum summary_sort {
	SORT_TOTAL,
	SORT_COUNT,
	SORT_ERRORS,
	SORT_SELF,
	SORT_MIN,
	SORT_MAX,
	SORT_NAME
};
#define SUMMARY_SORTS "total count errors self min max name"
/* At most `most` rows. */
void summary_print(
    const struct summary *m, enum summary_sort by, uint64_t most, bool csv);

#endif
