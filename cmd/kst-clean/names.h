/* SPDX-License-Identifier: ISC */
/* From a frame's text to its clean name, each distinct text cleaned once. */
#ifndef NAMES_H
#define NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "text/memo.h"

struct rules;

struct names_options {
	const char *without; /* groups of the default rules to leave out */
	bool no_defaults, demangle;
	struct rules *rules; /* the user's; may be NULL */
};

/*
 * What an entry's value holds: the flags of rules.h, and whether the name is
 * `??`. Its result is the clean name.
 */
enum { NAME_FLAGS = 0xff, NAME_UNKNOWN = 0x100 };

struct names;

/* The options' rules are used, not owned. Returns NULL after a message. */
struct names *names_new(const struct names_options *o);
void names_free(struct names *n);

/*
 * The entry of a frame's text behind the address. With gdb true it is text of
 * gdb, otherwise a frame of folded text. It lives until names_trim() returns
 * true; see memo_trim().
 */
struct memo_entry *names_get(
    struct names *n, const char *text, size_t len, bool gdb);
bool names_trim(struct names *n);

/* The same if there is one already, or NULL. */
struct memo_entry *names_find(
    struct names *n, const char *text, size_t len, bool gdb);

/*
 * Whether more names are remembered than should be, also where names_trim()
 * may not be called.
 */
bool names_are_large(const struct names *n);

/* How many names took a pattern beyond its limits. */
uint64_t names_limits(const struct names *n);

/* The default rules' text. */
extern const char names_default_rules[];

#endif
