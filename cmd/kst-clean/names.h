/* SPDX-License-Identifier: ISC */
/* From a frame's text to its clean name, each distinct text cleaned once. */
#ifndef NAMES_H
#define NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rules;

struct names_options {
	const char *without; /* groups of the default rules to leave out */
	bool no_defaults, demangle;
	struct rules *rules; /* the user's; may be NULL */
};

/* Open: the hot path reads the fields. */
struct name {
	uint64_t hash; /* of raw */
	const char *raw, *text;
	uint32_t raw_len, len;
	unsigned flags; /* of rules.h */
	bool unknown;	/* `??` */
};

struct names;

/* The options' rules are used, not owned. Returns NULL after a message. */
struct names *names_new(const struct names_options *o);
void names_free(struct names *n);

/*
 * The clean name of a frame's text, behind the address. With gdb true it is
 * text of gdb, otherwise a frame of folded text. The result is valid until
 * the next call of names_trim().
 */
const struct name *names_get(
    struct names *n, const char *text, size_t len, bool gdb);

/*
 * Forgets all names once they take more memory than a few megabytes; to be
 * called where none is in use, such as between two stacks.
 */
void names_trim(struct names *n);

/* How many patterns went beyond their limits, a name counted once. */
uint64_t names_limits(const struct names *n);

/* The default rules' text. */
extern const char names_default_rules[];

#endif
