/* SPDX-License-Identifier: ISC */
/*
 * Rule files, kst-rules(5): what is known about one system's frames. Rules
 * change a frame's name; flags say what happens to its stack.
 */
#ifndef KST_RULES_H
#define KST_RULES_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct rules;

/* What rules do with a frame, besides its name. */
enum {
	RULE_SKIP = 1,	     /* this frame goes */
	RULE_SKIP_TO = 2,    /* all frames leafward of it go */
	RULE_SKIP_PAST = 4,  /* it and all frames leafward of it go */
	RULE_DROP = 8,	     /* the whole stack goes */
	RULE_COLLAPSE = 32,  /* one of equal frames in a row stays */
	RULE_CUT_BELOW = 64, /* all frames rootward of it go */
	RULE_LIMIT = 16	     /* a pattern exceeded its limits: no match */
};

struct rules *rules_new(void);
void rules_free(struct rules *r);

/*
 * A rule as in a file. Its action is a word: `rename`, which has a text, `skip`
 * ...
 */
struct rule_words {
	const char *action, *pattern, *text;
	size_t pattern_len, text_len;
};

/* Returns 0, or -1 with the reason in *err. */
int rules_add(struct rules *r, const struct rule_words *w, struct buf *err);

size_t rules_count(const struct rules *r);

/* All flags that rules_apply() may return, except RULE_LIMIT. */
unsigned rules_flags(const struct rules *r);

/* Appends the rules, in order, as lines of a rule file. */
void rules_list(const struct rules *r, struct buf *out);

/*
 * Applies all rules, in order, to *name, which never becomes empty; returns the
 * flags.
 */
unsigned rules_apply(struct rules *r, struct buf *name);

/* Whether rules_apply() may do more with the name that it left last. */
bool rules_may_match(struct rules *r, const struct buf *name);

#endif
