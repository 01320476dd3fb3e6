/* SPDX-License-Identifier: ISC */
/*
 * Which tracepoints --trace selects, as OSv does it: a list of patterns
 * between commas or blanks; in each `*` becomes `.*` and `?` becomes `.`, and
 * the result is a POSIX basic regular expression that may match anywhere in
 * the name.
 */
#ifndef SELECT_H
#define SELECT_H

#include <stdbool.h>
#include <stddef.h>

struct selection;

struct selection *selection_new(void);
void selection_free(struct selection *s);

/* Adds a list. Returns -1 after a message when a pattern is wrong. */
int selection_add(struct selection *s, const char *list);

/* Whether the name is selected; all are when no list was added. */
bool selection_has(const struct selection *s, const char *name, size_t len);

#endif
