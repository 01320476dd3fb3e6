/* SPDX-License-Identifier: ISC */
/* The words of a command line in the making, or texts to be freed together. */
#ifndef KST_WORDS_H
#define KST_WORDS_H

#include <stddef.h>

struct buf;

struct words {
	char **v; /* NULL after the last one, once there is one */
	size_t n, cap;
};

void words_add(struct words *w, const char *word);
/* Returns the new word. */
char *words_addf(struct words *w, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Adds all words up to NULL. */
void words_addv(struct words *w, const char *const *words);

/* Appends a word as a shell takes it. */
void words_quote(const char *word, struct buf *b);

void words_done(struct words *w);

#endif
