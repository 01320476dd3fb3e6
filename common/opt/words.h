/* SPDX-License-Identifier: ISC */
/* The words of a command line in the making. */
#ifndef KST_WORDS_H
#define KST_WORDS_H

#include <stddef.h>

struct words {
	char **v; /* NULL after the last one, once there is one */
	size_t n, cap;
};

void words_add(struct words *w, const char *word);
void words_addf(struct words *w, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* A formatted text, to be freed. */
char *words_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

void words_done(struct words *w);

#endif
