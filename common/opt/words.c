/* SPDX-License-Identifier: ISC */
#include "opt/words.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/msg.h"
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

static char *
format(const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0)
		msg_die(EXIT_SYSTEM, "out of memory");
	return text;
}

char *
words_text(const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = format(fmt, ap);
	va_end(ap);
	return text;
}

void
words_addf(struct words *w, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	take(w, format(fmt, ap));
	va_end(ap);
}

void
words_done(struct words *w)
{
	for (size_t i = 0; i < w->n; i++)
		free(w->v[i]);
	free(w->v);
	*w = (struct words){0};
}
