/* SPDX-License-Identifier: ISC */
#include "words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/xalloc.h"

/* Takes the word over. */
static void
take(struct words *w, char *word)
{
	w->v = xgrow(w->v, w->n + 2, &w->cap, sizeof *w->v);
	w->v[w->n++] = word;
	w->v[w->n] = NULL;
}

void
words_add(struct words *w, const char *word)
{
	take(w, xstrdup(word));
}

void
words_addf(struct words *w, const char *fmt, ...)
{
	char *word = NULL;
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	word = xmalloc((size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(word, (size_t)n + 1, fmt, ap);
	va_end(ap);
	take(w, word);
}

void
words_done(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i]);
	free(w->v);
	*w = (struct words){0};
}

const char *
words_base(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}
