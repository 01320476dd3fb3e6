/* SPDX-License-Identifier: ISC */
#include "text/stacks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/xalloc.h"
#include "text/trace.h"

/*
 * A set has the runs whose first line has that hash, the last one used first.
 * Who keeps a run pays for it; who finds one earns that back.
 */
enum { SETS = 1 << 10, SET_MAX = 8, BYTES_MAX = 2 << 20, CREDIT = 1000 };

struct runs {
	struct stack_run *set[SETS];
	size_t bytes;
	unsigned credit, refused;
};

struct runs *
runs_new(void)
{
	struct runs *r = xcalloc(1, sizeof *r);

	r->credit = CREDIT;
	return r;
}

static void
forget(struct runs *r)
{
	for (size_t i = 0; i < SETS; i++)
		while (r->set[i]) {
			struct stack_run *older = r->set[i]->older;

			free(r->set[i]);
			r->set[i] = older;
		}
	r->bytes = 0;
}

void
runs_free(struct runs *r)
{
	if (r == NULL)
		return;
	forget(r);
	free(r);
}

static struct stack_run **
set_of(struct runs *r, const char *text, size_t first_len)
{
	return &r->set[hash_bytes(text, first_len) % SETS];
}

const struct stack_run *
runs_find(struct runs *r, const char *text, size_t first_len, size_t left)
{
	struct stack_run **set = set_of(r, text, first_len), **at = set, *e;

	for (; (e = *at) != NULL; at = &e->older)
		if (e->text_len <= left &&
		    memcmp(e->bytes, text, e->text_len) == 0) {
			*at = e->older;
			e->older = *set;
			*set = e;
			r->credit += r->credit < CREDIT;
			return e;
		}
	return NULL;
}

int
runs_wants(struct runs *r)
{
	return r->credit > 0 || ++r->refused % 64 == 0;
}

/* Fills lines, first and last; false if not all lines are frames, in order. */
static bool
check(struct stack_run *r, const char *text, size_t len)
{
	struct trace_line t;

	if (trace_has_noise(text, len))
		return false;
	for (const char *p = text, *end = text + len, *nl; p < end;
	     p = nl + 1) {
		nl = memchr(p, '\n', (size_t)(end - p));
		if (nl == NULL ||
		    !trace_is_plain_frame(p, (size_t)(nl - p), &t) ||
		    (r->lines && t.number <= r->last))
			return false;
		if (r->lines++ == 0)
			r->first = t.number;
		r->last = t.number;
	}
	return true;
}

/* The oldest of a set that is full. */
static void
drop_oldest(struct stack_run **at, size_t *bytes)
{
	size_t n = 0;

	for (; *at; at = &(*at)->older)
		if (++n == SET_MAX) {
			*bytes -= (*at)->text_len + (*at)->len;
			free(*at);
			*at = NULL;
			return;
		}
}

void
runs_add(struct runs *r, const char *text, size_t text_len, const char *result,
    size_t len)
{
	struct stack_run **set, *e,
	    run = {.text_len = (uint32_t)text_len, .len = (uint32_t)len};
	const char *nl = memchr(text, '\n', text_len);

	r->credit -= r->credit > 0;
	if (nl == NULL || text_len + len > BYTES_MAX / 16 ||
	    !check(&run, text, text_len))
		return;
	if (r->bytes + text_len + len > BYTES_MAX)
		forget(r);
	set = set_of(r, text, (size_t)(nl - text));
	drop_oldest(set, &r->bytes);
	e = xmalloc(sizeof *e + text_len + len);
	*e = run;
	memcpy(e->bytes, text, text_len);
	if (len)
		memcpy(e->bytes + text_len, result, len);
	e->older = *set;
	*set = e;
	r->bytes += text_len + len;
}
