/* SPDX-License-Identifier: ISC */
#include "opt/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/msg.h"
#include "base/xalloc.h"

/* Takes the word over. */
static char *
take(struct words *w, char *word)
{
	w->v = xgrow(w->v, w->n + 2, &w->cap, sizeof *w->v);
	w->v[w->n++] = word;
	w->v[w->n] = NULL;
	return word;
}

void
words_add(struct words *w, const char *word)
{
	take(w, xstrdup(word));
}

void
words_addv(struct words *w, const char *const *words)
{
	for (; *words; words++)
		words_add(w, *words);
}

char *
words_addf(struct words *w, const char *fmt, ...)
{
	va_list ap;
	char *word;

	va_start(ap, fmt);
	if (vasprintf(&word, fmt, ap) < 0)
		msg_die(EXIT_SYSTEM, "out of memory");
	va_end(ap);
	return take(w, word);
}

void
words_done(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i]);
	free(w->v);
	*w = (struct words){0};
}

void
words_quote(const char *word, struct buf *b)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyz"
				   "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				   "-_./,:=+@%";

	if (*word && word[strspn(word, safe)] == 0) {
		buf_adds(b, word);
		return;
	}
	buf_adds(b, "'");
	for (; *word; word++)
		buf_adds(b, *word == '\'' ? "'\\''" : (char[]){*word, 0});
	buf_adds(b, "'");
}
