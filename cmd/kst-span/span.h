/* SPDX-License-Identifier: ISC */
/* The three outputs of spans. */
#ifndef SPAN_H
#define SPAN_H

#include <stdbool.h>

#include "opt/opt.h"
#include "span/pair.h"

/* Folded text: the self time of each stack in ns or, with `calls`, its calls.
 */
void fold_print(const struct pair *p, bool calls);

/* The numbers in the set of names as folded text has them; free() them. */
struct intern;
uint32_t *fold_names(const struct pair *p, struct intern *set);

/* A line for each span, of the first `most`: when it ends, or as they began. */
#define LIST_ORDERS(X) X(LIST_END, "end") X(LIST_BEGIN, "begin")
enum list_order { LIST_ORDERS(OPT_ID) };
struct list {
	const struct pair *p;
	uint64_t most, n;
	enum list_order order;
	/* private to list.c */
	struct buf text; /* with LIST_BEGIN: all lines */
	struct list_line *lines;
	size_t n_lines, cap_lines;
};
void list_span(void *ctx, const struct span *s);
/* Writes what is left; frees all. */
void list_end(struct list *l);

/* A table of names. */
struct summary;
struct summary *summary_new(struct pair *p);
void summary_free(struct summary *m);
void summary_span(void *ctx, const struct span *s);
/* By what rows are sorted: of a struct name_row r; 0: by name alone. */
#define SUMMARY_SORTS(X)                     \
	X(SORT_TOTAL, "total", r->total)     \
	X(SORT_COUNT, "count", r->count)     \
	X(SORT_ERRORS, "errors", r->errors)  \
	X(SORT_SELF, "self", r->self)        \
	X(SORT_MIN, "min", r->durations.min) \
	X(SORT_MAX, "max", r->durations.max) \
	X(SORT_NAME, "name", 0)
enum summary_sort { SUMMARY_SORTS(OPT_ID) };
/* At most `most` rows. */
void summary_print(
    const struct summary *m, enum summary_sort by, uint64_t most, bool csv);

#endif
