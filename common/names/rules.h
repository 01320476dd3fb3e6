/* SPDX-License-Identifier: ISC */
/*
 * Rule files, kst-rules(5): what is known of one system's frames. A rule is
 * applied to a frame's name; what follows for the stack is told by flags.
 */
#ifndef KST_RULES_H
#define KST_RULES_H

#include <stddef.h>
#include <stdint.h>

struct buf;
struct rules;

/* What the rules say of a frame, besides its name. */
enum {
	RULE_SKIP = 1,	    /* the frame goes, the rest of the stack stays */
	RULE_SKIP_TO = 2,   /* the frames leafward of it go */
	RULE_SKIP_PAST = 4, /* it and the frames leafward of it go */
	RULE_DROP = 8,	    /* the whole stack goes */
	RULE_COLLAPSE = 32, /* of equal frames in a row one stays */
	RULE_LIMIT = 16	    /* a pattern went beyond its limits: no match */
};

struct rules *rules_new(void);
void rules_free(struct rules *r);

/*
 * Adds the rules of a text, with its name for messages; a rule that stands
 * under a `[group]` in the comma-separated list `without` is left out.
 * Returns 0, or -1 after a message for each wrong line.
 */
int rules_add_text(struct rules *r, const char *file, const char *text,
    size_t len, const char *without);

/* Appends the text of a rule file without the groups that are left out. */
void rules_text(
    const char *text, size_t len, const char *without, struct buf *out);

/*
 * rules_add_text() of a file, or the name of one in share/rules: `asterinas`.
 * Returns -1 after a message.
 */
int rules_add_file(struct rules *r, const char *name);

/*
 * Adds one rule; action is the word of the file: `rename`, `skip` ... (text
 * is used by `rename`). Returns 0, or -1 with the reason in *err.
 */
int rules_add(struct rules *r, const char *action, const char *pattern,
    size_t pattern_len, const char *text, size_t text_len, struct buf *err);

size_t rules_count(const struct rules *r);

/* Appends the rules as lines of a rule file, in their order. */
void rules_list(const struct rules *r, struct buf *out);

/*
 * Applies all rules in their order: the renamed name in *name (which holds
 * it before and after), the flags as result. A name never becomes empty.
 */
unsigned rules_apply(struct rules *r, struct buf *name);

#endif
