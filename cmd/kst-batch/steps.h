/* SPDX-License-Identifier: ISC */
/* The steps that a capture goes through, and what their result depends on. */
#ifndef STEPS_H
#define STEPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "text/shape.h"

/* A list of strings, each on the heap; v[n] is NULL. */
struct words {
	char **v;
	size_t n;
};

void words_add(struct words *w, const char *s);
void words_done(struct words *w);

enum { STEP_SYM, STEP_CLEAN, STEP_FOLD, STEP_SVG, STEPS };

/* words.v[0] is the command's name; n = 0: the step is not asked for. */
struct steps {
	struct words step[STEPS];
};

/*
 * Asks for a step with the options in `text`, which is split into words as a
 * shell splits them: blanks, '...', "..." and backslashes, but nothing is ever
 * expanded or run. The same step may be given twice: the options add up.
 * Returns -1 when a quote is not closed.
 */
int steps_add(struct steps *s, int step, const char *text);
void steps_done(struct steps *s);

/*
 * Tries each step on nothing or on one stack, so that wrong options are found
 * before any work: those that it does not take, and those with which it reads
 * or writes other files than it is given. Ends the command then.
 */
void steps_check(const struct steps *s);

/*
 * A number for all that the result depends on but the capture: the version,
 * the options, and the contents of files and folders that they name.
 */
uint64_t steps_key(const struct steps *s, bool with_svg);

/*
 * The word's part that names a file or folder which is there, or NULL; rule
 * files are looked for in the share folder too. The path is put in *path.
 */
const char *steps_file(
    const struct steps *s, int step, size_t word, struct buf *path);

/* Whether no line of folded text has two counts, as kst-fold is told. */
bool steps_plain(const struct steps *s);

/* Whether parts of a capture of that shape may be folded each on its own. */
bool steps_can_split(const struct steps *s, enum shape shape);

#endif
