/* SPDX-License-Identifier: ISC */
/* Writes the output and the messages of kst-tail. */
#ifndef REPORT_H
#define REPORT_H

#include "calls.h"
#include "judge.h"

/*
 * Whether there are slow calls and typical ones, of the functions `of`; says
 * why not. ok: nothing was wrong with the input.
 */
bool report_enough(
    const struct calls *c, const char *of, const struct slow *slow, bool ok);

/* Messages: the calls, and what explains the slow ones better than chance. */
void report_say(const struct calls *c, const struct judged *j);

/* Folded text with two counts: ns for each typical and each slow call. */
void report_folded(const struct calls *c, const struct judged *j, bool trailer);

/* A line for each cause, at most `most`. */
void report_table(const struct calls *c, const struct judged *j, uint64_t most);

/* A line for each slow call, the slowest first, at most `most`. */
void report_list(const struct calls *c, uint64_t most);

#endif
