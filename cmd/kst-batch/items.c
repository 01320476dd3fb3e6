/* SPDX-License-Identifier: ISC */
/* Captures and sums: their names, their outputs, their outcomes. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/xalloc.h"
#include "batch.h"

enum { WHAT_MAX = 1000 };

struct item *
items_add(struct items *t)
{
	struct item *i = xpush(t->v, t->n, t->cap);

	*i = (struct item){0};
	return i;
}

void
items_done(struct items *t)
{
	for (size_t k = 0; k < t->n; k++) {
		struct item *i = &t->v[k];

		/* one of the names is a part of the other */
		free(i->is_sum ? i->rel : i->path);
		free(i->made.what);
		buf_done(&i->inputs);
	}
	free(t->v);
}

const char *
path_absolute(const struct batch *b, const char *name)
{
	return *name == '/' ? name : text_of("%s/%s", b->cwd, name);
}

const char *
path_name(const struct batch *b, const char *path)
{
	size_t len = strlen(b->cwd);

	if (strncmp(path, b->cwd, len) == 0 && path[len] == '/' &&
	    path[len + 1] != 0)
		return path + len + 1;
	return path;
}

const char *
path_picture(const char *folded)
{
	size_t len = strlen(folded);

	if (len > 7 && bytes_ends(folded, len, ".folded"))
		len -= 7;
	return text_of("%.*s.svg", (int)len, folded);
}

const char *
item_output(const struct batch *b, const struct item *i, const char *suffix)
{
	if (!i->is_sum)
		return text_of("%s/%s%s", b->out, i->rel, suffix);
	return strcmp(suffix, ".svg") == 0 ? path_picture(i->path) : i->path;
}

void
item_begin(struct item *i)
{
	if (i->draw_only)
		return;
	free(i->made.what);
	i->made =
	    (struct outcome){.key = i->key, .size = i->size, .mtime = i->mtime};
}

void
outcome_fault(
    struct outcome *r, enum status status, uint64_t line, const char *fmt, ...)
{
	char text[WHAT_MAX];
	va_list ap;

	if (r->status >= status)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	free(r->what);
	r->what = xstrdup(text);
	r->status = status;
	r->line = line;
}
