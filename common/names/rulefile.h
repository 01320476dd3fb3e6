/* SPDX-License-Identifier: ISC */
/* Rules by text: kst-rules(5). */
#ifndef KST_RULEFILE_H
#define KST_RULEFILE_H

#include <stddef.h>

struct buf;
struct rules;

/*
 * Adds the rules of a text, except those under a `[group]` in the
 * comma-separated list `without`. `file` is the text's name in messages.
 * Returns 0, or -1 after a message for each wrong line.
 */
int rules_add_text(struct rules *r, const char *file, const char *text,
    size_t len, const char *without);

/* Appends the text of a rule file except the groups left out. */
void rules_text(
    const char *text, size_t len, const char *without, struct buf *out);

/*
 * As rules_add_text(), for a file, or for a name in that folder of share, such
 * as `asterinas` in `rules`. `groups` is a list of names, in which `*` stands
 * for any text: rules under other groups are left out. NULL leaves none out.
 * Returns -1 after a message.
 */
int rules_add_file(
    struct rules *r, const char *dir, const char *name, const char *groups);

#endif
