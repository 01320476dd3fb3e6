/* SPDX-License-Identifier: ISC */
/* Makes a clean name of a frame's text. */
#ifndef NAMES_H
#define NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct opt_list;
struct rules;

struct names_options {
	const char *without; /* groups of the default rules to leave out */
	bool no_defaults, demangle;
	struct rules *rules; /* the user's; may be NULL */
};

/* Set beside the flags of rules.h when the name is `??` or an address. */
enum { NAME_UNKNOWN = 0x100 };

struct names;

/* The options' rules are used, not owned. Returns NULL after a message. */
struct names *names_new(const struct names_options *o);
void names_free(struct names *n);

/*
 * The clean name of a frame's text without its address, valid until the next
 * call. gdb: it is gdb's text, else a frame of folded text. Returns the flags.
 */
unsigned names_clean(struct names *n, const char *text, size_t len, bool gdb,
    const char **name, size_t *name_len);

/*
 * Adds the rules of --rules, --skip-to, --skip, --drop, --collapse and
 * --rename, in their order. A wrong one ends the command.
 */
void names_add_rules(struct rules *r, const struct opt_list *options);

/* Prints the rules that would be applied. */
void names_list_rules(const struct names_options *o);

#endif
