/* SPDX-License-Identifier: ISC */
/* Decides which tracepoints are wanted. */
#ifndef SELECT_H
#define SELECT_H

#include <stdbool.h>

#include "base/bytes.h"

struct selection;

/*
 * Which tracepoints OSv's --trace selects: in each of its
 * patterns, separated by commas or blanks, `*` becomes `.*` and `?` becomes
 * `.`; the result is a POSIX basic regular expression, found anywhere in the
 * name.
 */
struct selection;

struct selection *selection_new(void);
void selection_free(struct selection *s);

/* Adds a list. Returns -1 after a message for a wrong pattern. */
int selection_add(struct selection *s, const char *list);

/* Whether the name is selected; all are if no list was added. */
bool selection_has(const struct selection *s, struct piece name);

#endif
