/* SPDX-License-Identifier: ISC */
/* Rules by text: kst-rules(5). */
#ifndef KST_RULEFILE_H
#define KST_RULEFILE_H

#include <stddef.h>

struct buf;
struct rules;

/*
 * Adds a text's rules but those under a `[group]` in the comma-separated list
 * `without`; `file` is its name in messages. Returns 0, or -1 after a message
 * for each wrong line.
 */
int rules_add_text(struct rules *r, const char *file, const char *text,
    size_t len, const char *without);

/* Appends the text of a rule file except the groups left out. */
void rules_text(
    const char *text, size_t len, const char *without, struct buf *out);

/*
 * rules_add_text() of a file, or of a name in that folder of share, such as
 * `asterinas` in `rules`. groups: a list of names, in which `*` stands for any
 * text; rules under other groups are left out. NULL: none are. Returns -1 after
 * a message.
 */
int rules_add_file(
    struct rules *r, const char *dir, const char *name, const char *groups);

#endif
