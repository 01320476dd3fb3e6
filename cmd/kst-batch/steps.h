/* SPDX-License-Identifier: ISC */
/* The steps that a capture goes through, and what their result depends on. */
#ifndef STEPS_H
#define STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "trace/shape.h"

enum { STEP_SYM, STEP_CLEAN, STEP_FOLD, STEP_SVG, STEPS };

/* Words, each with a NUL after it, the command's name first; of length 0: the
 * step is not asked for. */
struct steps {
	struct buf step[STEPS];
};

/* The step's option after this word; NULL is before the first. NULL: none. */
const char *steps_next(const struct steps *s, int step, const char *word);

/*
 * Asks for a step, such as fold, with the options in `text`, which xargs splits
 * into words: quotes and backslashes count, but nothing is ever expanded or
 * run. The same step may be given twice: the options add up. Returns -1 when a
 * quote is not closed.
 */
int steps_add(struct steps *s, const char *name, const char *text);
void steps_done(struct steps *s);

/* Appends a word for the shell, and a step with these options before its own.
 */
void buf_quote(struct buf *b, const char *s);
void steps_command(
    const struct steps *s, int step, const char *options, struct buf *b);

/* Filters beside this command are preferred to those on PATH. */
void steps_path(void);

/*
 * Tries a step, if it is asked for, on empty input or one stack, to find wrong
 * options before any work: those that it rejects, and those that make it read
 * or write other files. Ends the command then.
 */
void steps_check(const struct steps *s, int step);

/*
 * A hash of what the result depends on besides the capture: the version, the
 * options, and the contents of files that they name.
 */
uint64_t steps_key(const struct steps *s, bool with_svg);

/*
 * Whether the word names a file, by itself, as an option's argument or as
 * NAME@BASE, or, `shared`, a rule file in the share folder. Puts it in *path.
 */
bool steps_file(int step, const char *word, bool shared, struct buf *path);

/* Whether no line of folded text has two counts, as kst-fold is told. */
bool steps_plain(const struct steps *s);

/* Whether parts of a capture of that shape can be folded separately. */
bool steps_can_split(const struct steps *s, enum shape shape);

#endif
